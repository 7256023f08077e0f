import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { build, buildOptions } from '../../lib/bundle.ts';
import { readTemplate } from '../../lib/emulator/template/template.ts';
import { copyOf, startFixture, synthesizeFixture } from '../emulator/fixture.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/open-database.ts';
import { send } from '../support/http/http-client.ts';
import { lackOfPackage, leaveOut } from '../support/packages-of-ci.ts';
import { root } from '../support/project.ts';

/** Each with the name of its package, a client and a command of it, and a variable. */
const clients = [
  ['s3', `new S3Client(), new PutObjectCommand({ Bucket: 'b', Key: 'k', Body: 'x' })`, 's3', 'S3'],
  [
    'sqs',
    `new SQSClient(),
      new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: 'x' })`,
    'sqs',
    'SQS',
  ],
  [
    'sns',
    `new SNSClient(), new PublishCommand({ TopicArn: 'arn:aws:sns:x', Message: 'a & b' })`,
    'sns',
    'SNS',
  ],
  [
    'secrets-manager',
    `new SecretsManagerClient(), new GetSecretValueCommand({ SecretId: 's' })`,
    'secretsmanager',
    'SECRETS_MANAGER',
  ],
  [
    'sfn',
    `new SFNClient(), new StartSyncExecutionCommand({ stateMachineArn: 'arn:aws:states:x' })`,
    'states',
    'SFN',
  ],
  [
    'cognito-identity-provider',
    `new CognitoIdentityProviderClient(),
      new SignUpCommand({ ClientId: 'c', Username: 'u', Password: 'p' })`,
    'cognito-identity-provider',
    'COGNITO_IDENTITY_PROVIDER',
  ],
] as const;

const lack = clients
  .map(([from]) => lackOfPackage(`@aws-sdk/client-${from}`))
  .find((missing) => missing !== undefined);
if (lack) leaveOut('calls of other services', lack);

/** Bundles a function as ours are. Returns its folder. */
function bundled(name: string, source: string): string {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder);
  writeFileSync(join(folder, `${name}.js`), source);
  const [built] = build({
    ...buildOptions(),
    entryPoints: [join(folder, `${name}.js`)],
    nodePaths: [join(root, '.ci', 'node_modules'), join(root, 'node_modules')],
  });
  const [file] = built?.outputFiles ?? [];
  // The handler of the fixture's functions is index.handler.
  writeFileSync(join(folder, 'index.cjs'), file?.contents ?? '');
  return folder;
}

const handler = (from: string, call: string) => `
  import * as sdk from '@aws-sdk/client-${from}';
  const { ${[...new Set(call.match(/\w+(?=\()/g))].join()} } = sdk;
  const [client, command] = [${call}];
  export const handler = () => client.send(command).then(
    () => ({ statusCode: 200, body: '{}' }),
    ({ name, message, $metadata }) => ({
      statusCode: 200,
      body: JSON.stringify({ name, message, attempts: $metadata?.attempts }),
    }),
  );`;

let fixture: Awaited<ReturnType<typeof startFixture>>;
let fault: string;
const said: string[] = [];

beforeAll(async () => {
  const assembly = copyOf(await synthesizeFixture());
  const file = join(assembly, 'Fixture.template.json');
  const template = JSON.parse(readFileSync(file, 'utf8'));
  template.Resources.Queue = { Type: 'AWS::SQS::Queue', Properties: {} };
  fault = Object.keys(template.Resources).find((id) => id.startsWith('Fault')) ?? '';
  template.Resources[fault].Properties.Environment = {
    Variables: { QUEUE_URL: { Ref: 'Queue' } },
  };
  writeFileSync(file, JSON.stringify(template));
  const database = await openDatabase({ onRefusal: (message) => said.push(message) });
  database.enforce(readTemplate(assembly));
  fixture = await startFixture({ assembly, dynamodbEndpoint: database.endpoint });
});

const callWith = async (folder: string) => {
  said.length = 0;
  fixture.replace(fixture.assembly, { [fault]: folder });
  return JSON.parse(
    (await send(fixture.origin, { method: 'POST', path: '/v1/fault', body: '{}' })).body,
  );
};

(lack ? describe.skip : describe)('a call of a service that is not here fails at once', () => {
  test.each(clients)('%s', async (from, call, service, variable) => {
    const error = await callWith(bundled(from, handler(from, call)));
    const message =
      `${fault} called ${service}, which does not run here. Set AWS_ENDPOINT_URL_${variable} in ` +
      `the function's environment to the URL of a server of your own. See docs/imitates.md.`;
    expect(error).toMatchObject({ name: 'ServiceNotImitated', message, attempts: 1 });
    expect(said).toEqual([message]);
  });
});

test('a function that declares no endpoint calls the local DynamoDB', async () => {
  const call = `new DynamoDBClient(), new ListTablesCommand()`;
  const error = await callWith(bundled('dynamodb', handler('dynamodb', call)));
  expect(error).toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining(`/${fault} is not authorized to perform: dynamodb:ListTables`),
  });
  expect(said).toEqual([]);
});

test('no host of AWS is looked up', async () => {
  const endpoint = 'https://dynamodb.us-east-1.amazonaws.com';
  const call = `new DynamoDBClient({ endpoint: '${endpoint}' }), new ListTablesCommand()`;
  const error = await callWith(bundled('dynamodb', handler('dynamodb', call)));
  const message = 'called dynamodb.us-east-1.amazonaws.com, which is not reached from here.';
  expect(error).toMatchObject({ message: expect.stringContaining(message), attempts: 1 });
  const lines = fixture.log.filter(({ line }) => line.includes(message));
  expect(lines).toEqual([{ functionName: fault, line: expect.any(String) }]);
});
