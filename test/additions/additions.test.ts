import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../bin/administration/access-tokens.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { build, buildOptions } from '../../lib/bundle.ts';
import { createTables } from '../../lib/offline/database/create-tables.ts';
import { localDocumentClient } from '../../lib/offline/database/database-client.ts';
import { type Emulator, startEmulator } from '../../lib/offline/emulator.ts';
import { readTemplate, type Template } from '../../lib/offline/template/template.ts';
import { root } from '../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/open-database.ts';
import { send } from '../support/http/http-client.ts';
import { lackOfPackage, leaveOut } from '../support/packages-of-ci.ts';
import { sent } from '../support/plant.ts';
import { keptAssembly } from '../support/stack/kept-assembly.ts';
import { words } from '../support/words.ts';

let assembly: string;
let template: Template;
let emulator: Emulator;
let headers: string[];
/** What the functions log, and what the database says of calls that it refuses. */
const log: string[] = [];
const said: string[] = [];

beforeAll(async () => {
  assembly = await keptAssembly(import.meta.dirname);
  template = readTemplate(assembly);
  const { endpoint, enforce } = await openDatabase({ onRefusal: (message) => said.push(message) });
  await createTables(template, endpoint);
  enforce(template);
  emulator = await startEmulator({
    assembly,
    port: 0,
    dynamodbEndpoint: endpoint,
    log: (_, line) => log.push(line),
  });
  finallyDo(() => emulator.stop());
  const client = localDocumentClient(endpoint);
  finallyDo(() => client.destroy());
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const grant = { owner: 'me', scopes: allScopes, label: '', expires };
  const { token } = await issueToken(client, tableIds.accessTokens, grant);
  headers = ['Authorization', `Bearer ${token}`, 'Content-Type', 'application/json'];
});

const ask = (path: string, method = 'GET', body?: string) =>
  send(emulator.baseUrl, { method, path, headers, body });

test('the service goes on with all that people add first', async () => {
  expect((await ask('/plants', 'POST', sent(7))).status).toBe(201);
  expect((await ask('/plants')).status).toBe(200);
  expect((await ask('/plants/7', 'DELETE')).status).toBe(204);
});

test('the start names what is not imitated, and nothing that observes or permits', () => {
  const { leftOut } = template;
  expect(leftOut.map((text) => text.split(' ')[0])).toEqual(
    expect.arrayContaining(
      words(`
        AWS::ApiGateway::ClientCertificate AWS::ApiGateway::RestApi AWS::ApiGatewayV2::Api
        AWS::CloudFront::Distribution AWS::CloudFormation::CustomResource AWS::Cognito::UserPool
        AWS::EC2::VPC AWS::Events::EventBus AWS::Events::Rule AWS::KMS::Key AWS::Kinesis::Stream
        AWS::Lambda::EventSourceMapping AWS::Logs::SubscriptionFilter AWS::Route53::HostedZone
        AWS::S3::Bucket AWS::SNS::Topic AWS::SQS::Queue AWS::SSM::Parameter
        AWS::SecretsManager::RotationSchedule AWS::SecretsManager::Secret AWS::WAFv2::WebACL
        AWS::StepFunctions::StateMachine AWS::WAFv2::WebACLAssociation
      `),
    ),
  );
  const line = leftOut.join('; ');
  for (const part of [
    /(^|; )AWS::S3::Bucket /,
    /; AWS::Lambda::Function (\w+, )*(For\w+, )+/,
    /; AWS::ApiGateway::Stage Stage\w+, Second/,
    /; CreatePlant\.VpcConfig; OnPath\.Runtime nodejs22\.x: it runs on Node 24; /,
    /; the value of the parameter \w+, which is \/added here; the stack Unused$/,
  ]) {
    expect(line).toMatch(part);
  }
  expect(line).not.toMatch(
    /AWS::(CDK|IAM|DynamoDB|Lambda::(Alias|Permission|Version)|Logs::LogGroup)|Never/,
  );
});

test('an environment has what the template refers to, in this stack or another', () => {
  const create = template.of('AWS::Lambda::Function').get('CreatePlant');
  const arn = (text: string) => expect.stringMatching(`^arn:aws:${text}`);
  expect({ MemorySize: create?.MemorySize, ...create?.Environment?.Variables }).toMatchObject({
    MemorySize: 512,
    BUCKET: expect.stringMatching(/^bucket/),
    TOPIC_ARN: arn('sns:us-east-1:000000000000:Topic'),
    MACHINE_ARN: arn('states:us-east-1:000000000000:stateMachine:Machine'),
    SECRET_ARN: arn('secretsmanager:us-east-1:000000000000:secret:Secret'),
    IF: 'yes',
    CODE: 'f00',
    DEFAULT: 'none',
    TEXT: 'a y of us-east-1',
    ELSEWHERE: expect.stringMatching(/^Elsewhere/),
    FAR_BUCKET: expect.stringMatching(/^bucket/),
  });
});

test.each(['added', 'live'])(
  'a function on the new path /%s answers, and logs text',
  async (path) => {
    log.length = 0;
    expect(await ask(`/${path}`)).toMatchObject({ status: 200, body: 'added' });
    expect(log).toEqual([
      expect.stringMatching(/^START RequestId: [\w-]{36}\tVersion: \$LATEST$/),
      expect.stringMatching(/^[\d:.TZ-]{24}\t[\w-]{36}\tINFO\thello$/),
      expect.stringMatching(
        /^REPORT RequestId: [\w-]{36}\tDuration: [\d.]+ ms\t.*Status: success$/,
      ),
    ]);
  },
);

describe('a client', () => {
  /** A client and a command of it, by the name of its package. */
  const clients: Record<string, string> = {
    dynamodb: `new DynamoDBClient({ ...event.queryStringParameters }), new ListTablesCommand()`,
    s3: `new S3Client(), new PutObjectCommand({ Bucket: 'b', Key: 'k', Body: 'x' })`,
    sqs: `new SQSClient(),
      new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: 'x' })`,
    sns: `new SNSClient(), new PublishCommand({ TopicArn: 'arn:aws:sns:x', Message: 'a & b' })`,
    'secrets-manager': `new SecretsManagerClient(), new GetSecretValueCommand({ SecretId: 's' })`,
    sfn: `new SFNClient(), new StartSyncExecutionCommand({ stateMachineArn: 'arn:aws:states:x' })`,
    'cognito-identity-provider': `new CognitoIdentityProviderClient(),
      new SignUpCommand({ ClientId: 'c', Username: 'u', Password: 'p' })`,
  };
  const services: Record<string, string> = { 'secrets-manager': 'secretsmanager', sfn: 'states' };
  const [own = '', ...others] = Object.keys(clients);
  const lack = others
    .map((name) => lackOfPackage(`@aws-sdk/client-${name}`))
    .find((missing) => missing !== undefined);
  if (lack) {
    leaveOut('calls of other services', lack);
  }

  const folder = temporaryFolder();
  beforeAll(() => {
    const sources = (lack ? [own] : [own, ...others]).map((name) => {
      const source = join(folder, `${name}.js`);
      const imports = new Set(clients[name]?.match(/\w+(?=\()/g));
      writeFileSync(
        source,
        `import { ${[...imports].join()} } from '@aws-sdk/client-${name}';
        export const handler = async (event) => {
          const [client, command] = [${clients[name]}];
          const error = await client.send(command).catch((error) => error);
          const { name, message, $metadata } = error;
          return { body: JSON.stringify({ name, message, attempts: $metadata?.attempts }) };
        };`,
      );
      return source;
    });
    // Bundled as ours are.
    const options = buildOptions();
    const nodePaths = [join(root, '.ci', 'node_modules'), join(root, 'node_modules')];
    for (const { outputFiles } of build({ ...options, entryPoints: sources, nodePaths })) {
      for (const { path, contents } of outputFiles) {
        const file = join(folder, relative(options.outdir, path));
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, contents);
      }
    }
  });

  /** Returns the error that a function on the path gets from a client. */
  async function errorOf(name: string, query = '') {
    said.length = 0;
    log.length = 0;
    emulator.replace(assembly, { OnPath: join(folder, name) });
    return JSON.parse((await ask(`/added${query}`)).body);
  }

  (lack ? test.skip : test).each(others)('of %s fails at once', async (name) => {
    const variable = name.toUpperCase().replaceAll('-', '_');
    const message =
      `OnPath called ${services[name] ?? name}, which does not run here. Set ` +
      `AWS_ENDPOINT_URL_${variable} in the function's environment to the URL of a server of your ` +
      'own. See docs/imitates.md.';
    const error = { name: 'ServiceNotImitated', message, attempts: 1 };
    expect(await errorOf(name)).toEqual(error);
    expect(said).toEqual([message]);
  });

  test('of DynamoDB calls the local one, though no endpoint is declared', async () => {
    expect(await errorOf(own)).toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('/OnPath is not authorized to perform: dynamodb:ListTables'),
    });
    expect(said).toEqual([]);
  });

  test('looks up no host of AWS', async () => {
    const host = 'dynamodb.us-east-1.amazonaws.com';
    const message = expect.stringContaining(`called ${host}, which is not reached from here.`);
    const error = await errorOf(own, `?endpoint=https://${host}`);
    expect(error).toMatchObject({ message, attempts: 1 });
    expect(log).toEqual(expect.arrayContaining([message]));
  });
});
