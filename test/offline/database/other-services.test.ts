import { beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../../lib/offline/database/embedded-database.ts';
import { openDatabase, templateWith } from '../../support/database/open-database.ts';
import { send } from '../../support/http/http-client.ts';

let database: Database;
const said: string[] = [];
beforeAll(async () => {
  database = await openDatabase({ onRefusal: (message) => said.push(message) });
  const Role = 'arn:aws:iam::000000000000:role/Role';
  const functions = { 'AWS::Lambda::Function': { Picker: { Role } } };
  database.enforce(templateWith({ ...functions, 'AWS::IAM::Role': { Role: {} } }));
});

const signed = (service: string, region = 'us-east-1/') => ({
  authorization: `AWS4-HMAC-SHA256 Credential=Picker/20260101/${region}${service}/aws4_request, x`,
});
const signedUrl = '/b/k?X-Amz-Credential=Picker%2F20260101%2Fus-east-1%2Fs3%2Faws4_request';
const agent = (client: string) => ({ 'user-agent': `aws-sdk-js/3.1 api/${client}#3.1` });
const typed = (type: string) => ({ 'content-type': `application/${type}` });
const target = (name: string) => ({ 'x-amz-target': name });
const query = typed('x-www-form-urlencoded; charset=utf-8');
const streams = { ...agent('dynamodb-streams'), ...target('DynamoDBStreams_20120810.GetRecords') };

const json = /^\{"__type":"ServiceNotImitated","message":"Picker called /;
const xml = /^<Error><Code>ServiceNotImitated<\/Code><Message>Picker called /;
const xmlOfQueries = /^<ErrorResponse><Error><Type>Sender<\/Type><Code>ServiceNotImitated</;
const xmlOfEc2 = /^<Response><Errors><Error><Code>ServiceNotImitated<.*<Message>Picker/;
const cbor = /__type.+ServiceNotImitated.+message.+Picker called/;

/** Sends a request as an SDK does. Expects the refusal of a service, given with its variable. */
async function expectRefusal(
  headers: Record<string, string>,
  serviceAndVariable: string,
  { error = json, path = '/', caller = 'Picker' },
) {
  said.length = 0;
  const sent = { method: 'POST', path, headers: Object.entries(headers).flat() };
  const { status, headers: answered, body } = await send(database.endpoint, sent);
  expect([status, answered['x-amzn-errortype']]).toEqual([400, 'ServiceNotImitated']);
  expect(body).toMatch(error);
  const [service, variable] = serviceAndVariable.split(' ');
  expect(said).toEqual([
    `${caller} called ${service}, which does not run here. Set AWS_ENDPOINT_URL_${variable} in ` +
      "the function's environment to the URL of a server of your own. See docs/imitates.md.",
  ]);
}

test.each<[string, Record<string, string>, string, RegExp?, string?]>([
  ['JSON', { ...signed('kinesis'), ...typed('x-amz-json-1.1') }, 'kinesis KINESIS'],
  ['REST and JSON', signed('lambda'), 'lambda LAMBDA'],
  ['a query', { ...signed('sns'), ...query }, 'sns SNS', xmlOfQueries],
  ['a query of EC2', { ...signed('ec2'), ...query }, 'ec2 EC2', xmlOfEc2],
  ['REST and XML', signed('route53'), 'route53 ROUTE53', xmlOfQueries],
  ['REST and XML of S3', signed('s3'), 's3 S3', xml, '/b/k'],
  ['CBOR', { ...signed('logs'), ...typed('cbor') }, 'logs LOGS', cbor],
  ['a signature for all regions', signed('events', ''), 'events EVENTS'],
  ['a signed URL', {}, 's3 S3', xml, signedUrl],
  ['the name of a client', { ...signed('states'), ...agent('sfn') }, 'states SFN'],
  ['a target', target('Cognito.SignUp'), 'Cognito COGNITO', json, '/Picker/'],
  [
    'a client of a part of DynamoDB',
    { ...signed('dynamodb'), ...streams },
    'dynamodb DYNAMODB_STREAMS',
    json,
    '/Picker',
  ],
])(
  'another service is known by %s, and refused in its protocol',
  async (_, headers, of, ...more) => {
    const [error, path] = more;
    await expectRefusal(headers, of, { ...(error && { error }), ...(path && { path }) });
  },
);

test('a request without a signature is one of a program', () =>
  expectRefusal(agent('s3'), 's3 S3', { error: /A program called/, caller: 'A program' }));
