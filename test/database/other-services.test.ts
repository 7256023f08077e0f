import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Database } from '../../lib/database/embedded-database.ts';
import type { Template } from '../../lib/emulator/template/template.ts';
import { openDatabase } from '../support/database/open-database.ts';
import { send } from '../support/http/http-client.ts';

let database: Database;
const said: string[] = [];
beforeAll(async () => {
  database = await openDatabase({ onRefusal: (message) => said.push(message) });
  const Role = 'arn:aws:iam::000000000000:role/Role';
  const resources: Record<string, Record<string, object>> = {
    'AWS::Lambda::Function': { Picker: { Role } },
    'AWS::IAM::Role': { Role: {} },
  };
  const of = (type: string) => new Map(Object.entries(resources[type] ?? {}));
  database.enforce({ of } as unknown as Template);
});

/** Sends a request as an SDK does. */
const ask = (path: string, headers: Record<string, string>) =>
  send(database.endpoint, { method: 'POST', path, headers: Object.entries(headers).flat() });
const signed = (service: string, region = 'us-east-1/') => ({
  authorization: `AWS4-HMAC-SHA256 Credential=Picker/20260101/${region}${service}/aws4_request, x`,
});
const agent = (client: string) => ({ 'user-agent': `aws-sdk-js/3.1 api/${client}#3.1` });
const told = (service: string, variable: string, caller = 'Picker') =>
  `${caller} called ${service}, which does not run here. Set AWS_ENDPOINT_URL_${variable} in ` +
  "the function's environment to the URL of a server of your own. See docs/imitates.md.";

describe('a service that is not here is refused in the protocol of the request', () => {
  const json = { 'content-type': 'application/x-amz-json-1.1' };
  const query = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const cbor = { 'content-type': 'application/cbor', 'smithy-protocol': 'rpc-v2-cbor' };
  const code = 'ServiceNotImitated';
  test.each([
    ['JSON', 'kinesis', 'KINESIS', json, /^\{"__type":"ServiceNotImitated","message":"Picker /],
    ['REST and JSON', 'bedrock', 'BEDROCK_RUNTIME', {}, /^\{"__type":"ServiceNotImitated"/],
    ['a query', 'sns', 'SNS', query, /^<ErrorResponse><Error>.*<Code>ServiceNotImitated</],
    ['a query of EC2', 'ec2', 'EC2', query, /^<Response><Errors><Error><Code>Service.*<Message>P/],
    ['REST and XML', 'route53', 'ROUTE_53', {}, /^<ErrorResponse><Error>/],
    ['REST and XML of S3', 's3', 'S3', {}, /^<Error><Code>ServiceNotImitated<\/Code>/],
    [
      'CBOR',
      'monitoring',
      'CLOUDWATCH',
      cbor,
      /__type.+ServiceNotImitated.+message.+Picker called/,
    ],
  ])('%s', async (_, service, variable, headers, body) => {
    said.length = 0;
    const client = variable.toLowerCase().replace('_', '-');
    const answer = await ask('/', { ...signed(service), ...agent(client), ...headers });
    expect(answer).toMatchObject({ status: 400, headers: { 'x-amzn-errortype': code } });
    expect(answer.body).toMatch(body);
    expect(said).toEqual([told(service, variable)]);
  });
});

describe('the service and the function are known by', () => {
  const credential = 'X-Amz-Credential=Picker%2F20260101%2Fus-east-1%2Fs3%2Faws4_request';
  const target = { 'x-amz-target': 'AWSCognitoIdentityProviderService.SignUp' };
  const streams = { 'x-amz-target': 'DynamoDBStreams_20120810.GetRecords' };
  test.each<[string, string, Record<string, string>, string]>([
    ['the signature', '/b/k', signed('s3'), told('s3', 'S3')],
    ['a signature for all regions', '/', signed('events', ''), told('events', 'EVENTS')],
    ['a signed URL', `/b/k?${credential}`, {}, told('s3', 'S3')],
    ['nothing', '/', agent('s3'), told('s3', 'S3', 'A program')],
    [
      'a target and the path',
      '/Picker/',
      target,
      told('AWSCognitoIdentityProviderService', 'AWSCOGNITOIDENTITYPROVIDERSERVICE'),
    ],
    [
      'the name of a client',
      '/Picker',
      { ...signed('dynamodb'), ...agent('dynamodb-streams'), ...streams },
      told('dynamodb', 'DYNAMODB_STREAMS'),
    ],
  ])('%s', async (_, path, headers, message) => {
    said.length = 0;
    expect(await ask(path, headers)).toMatchObject({ status: 400 });
    expect(said).toEqual([message]);
  });
});
