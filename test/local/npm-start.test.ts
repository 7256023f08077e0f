import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { devNull, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { copyProduct } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/http/servers.ts';
import { makeFields } from '../support/plant.ts';
import { type NpmStart, startNpmStart, startProgram } from '../support/program.ts';
import { runHere } from '../support/programs/run.ts';

const faultyList = `
import { handler as list } from './own-list.ts';

const faults: Record<string, (context: never) => unknown> = {
  exit: () => process.exit(),
  throw() {
    throw new Error('thrown by the function');
  },
  text() {
    throw 'a text instead of an error';
  },
  nothing: () => undefined,
  wait() {
    console.info('waiting');
    return new Promise(() => {});
  },
  print() {
    console.error('a line of my own');
    console.info(undefined);
    console.info({ code: 'PLANT_CREATED' }, 'a second argument');
    console.info({ code: 'PLANT_CREATED', note: 'a member of my own' });
    console.error({ code: 'REQUEST_FAILED', note: 'an error of my own' });
    return { statusCode: 204 };
  },
  late() {
    setTimeout(() => console.info({ code: 'PLANT_CREATED', note: 'logged after the end' }));
    return { statusCode: 204 };
  },
  environment: () => ({
    statusCode: 200,
    body: JSON.stringify({ ...process.env, localTime: new Date(0).toTimeString() }),
  }),
};

export async function handler(event: never, context: never): Promise<unknown> {
  const { fault = '' } = event['queryStringParameters'] ?? {};
  return faults[fault] ? faults[fault](context) : list(event, context);
}
`;

interface Copy {
  folder: string;
  /** Its list, which a query makes fail. */
  list: string;
}

/** Copies the project, and changes settings in its cdk.json. */
function copyProject(settings: object): Copy {
  const folder = temporaryFolder();
  copyProduct(folder);
  const file = join(folder, 'cdk.json');
  const cdk = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(cdk.context, settings);
  writeFileSync(file, JSON.stringify(cdk));
  const list = join(folder, 'functions', 'list-plants.ts');
  renameSync(list, join(folder, 'functions', 'own-list.ts'));
  writeFileSync(list, faultyList);
  return { folder, list };
}

/** Runs `npm start -- --memory` in a copy. */
const startCopy = ({ folder }: Copy, options: string[] = [], others = {}): Promise<NpmStart> =>
  startNpmStart(['--memory', ...options], { project: folder, cwd: folder, ...others });

const copy = copyProject({
  'plant-store:cors-origin': 'https://plants.example',
  'plant-store:authorizer-cache': 0,
});
let running: NpmStart;

beforeAll(async () => {
  // The SDK would fail if it read the AWS files of a developer.
  const file = join(copy.folder, 'aws-config');
  writeFileSync(file, '[profile work]\ndefaults_mode = of a developer\n');
  const aws = { AWS_PROFILE: 'work', AWS_CONFIG_FILE: file, AWS_SHARED_CREDENTIALS_FILE: file };
  const env = { ...process.env, ...aws, SECRET_OF_A_DEVELOPER: 'secret', TZ: 'Asia/Tokyo' };
  running = await startCopy(copy, [], { env });
  expect((await running.create({ id: 1, ...makeFields() })).status).toBe(201);
});

const list = async ({ list } = running) => {
  const response = await list();
  return { status: response.status, body: await response.text() };
};
const plants = { status: 200, body: JSON.stringify([makeFields()]) };

/** Returns a function that waits for a text on stderr after the one before. */
function follow({ output, waitFor }: NpmStart) {
  let read = output.stderr.length;
  return async (text: string | RegExp): Promise<void> => {
    const form = typeof text === 'string' ? RegExp(RegExp.escape(text)) : text;
    const find = () => form.exec(output.stderr.slice(read));
    const found = await waitFor(`${form} on stderr`, find);
    read += Number(found?.index) + `${found}`.length;
  };
}

let lastMark = 0;
let read = 0;
// The lines of the tests before are over once a line of this one is there.
beforeEach(async () => {
  lastMark += 1;
  const path = `/v1/mark-${lastMark}`;
  const says = follow(running);
  await fetch(new URL(path, running.baseUrl));
  await says(RegExp(` GET    ${path} .*\n`));
  read = running.output.stderr.lastIndexOf('\n') + 1;
});

/**
 * Expects these lines on stderr in this test, without stacks. They can be in any order, because the
 * output of the thread comes before or after the lines of its request.
 */
async function expectLog(...expected: string[]): Promise<void> {
  const readLines = () =>
    running.output.stderr
      .slice(read)
      .replaceAll(/^..:..:..\.... /gm, 'TIME ')
      .replaceAll(/ \d+ ms/g, ' MS')
      .split('\n')
      .slice(0, -1)
      .filter((line) => !/^ +at /.test(line));
  await running.waitFor('the log', () => readLines().length >= expected.length);
  expect(readLines().sort()).toEqual(expected.toSorted());
}

test.each([
  ['exit', '    The functions stopped before they returned.'],
  ['throw', '    Error: thrown by the function'],
  ['text', '    a text instead of an error'],
  ['nothing', '    Error: The function returned no object: null'],
])('a function with the fault "%s" costs one 503, whose cause is logged', async (...row) => {
  const [fault, ...causes] = row;
  const response = await running.list(`?fault=${fault}`);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, null]);
  expect(await list()).toEqual(plants);
  const failed = `TIME GET    /v1/plants?fault=${fault} 503 MS unavailable`;
  await expectLog(failed, ...causes, 'TIME GET    /v1/plants 200 MS');
});

test('a function that hangs gets 503 after ten seconds, and the next call is served', async () => {
  const waiting = running.list('?fault=wait');
  await running.waitFor('the call', () => running.output.stderr.slice(read).includes('waiting'));
  running.advance(10_000);
  expect((await waiting).status).toBe(503);
  expect(await list()).toEqual(plants);
  await expectLog(
    'waiting',
    'TIME GET    /v1/plants?fault=wait 503 MS unavailable',
    '    list-plants did not return within 10 s.',
    'TIME GET    /v1/plants 200 MS',
  );
});

test('all output of a function is shown, except lines that a request line sums up', async () => {
  await running.list('?fault=print');
  await running.list('?fault=late');
  await list();
  await expectLog(
    'a line of my own',
    'undefined',
    "{ code: 'PLANT_CREATED' } a second argument",
    'TIME GET    /v1/plants?fault=print 204 MS',
    '    PLANT_CREATED {"note":"a member of my own"}',
    '    REQUEST_FAILED {"note":"an error of my own"}',
    'TIME GET    /v1/plants?fault=late 204 MS',
    '{"code":"PLANT_CREATED","note":"logged after the end"}',
    'TIME GET    /v1/plants 200 MS',
  );
  expect(running.output.stdout).not.toContain('a second argument');
});

test('the functions have the environment variables of AWS, and none of the developer’s', async () => {
  const response = await running.list('?fault=environment');
  const environment = (await response.json()) as Record<string, string>;
  expect(environment).toMatchObject({
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    PLANTS_TABLE: 'Plants',
    TZ: 'UTC',
    localTime: '00:00:00 GMT+0000 (Coordinated Universal Time)',
  });
  expect(environment).not.toHaveProperty('AWS_PROFILE');
  expect(environment).not.toHaveProperty('SECRET_OF_A_DEVELOPER');
});

test('pages of the origin in cdk.json can call the API and read its responses', async () => {
  const preflight = await fetch(`${running.baseUrl}/plants`, { method: 'OPTIONS' });
  expect(preflight.status).toBe(204);
  for (const { headers } of [preflight, await running.list()]) {
    expect(headers.get('access-control-allow-origin')).toBe('https://plants.example');
  }
});

test('the demo token is listed with its label', async () => {
  const line = `list --owner demo --dynamodb-endpoint ${running.dynamodbEndpoint}`;
  const { code, stdout } = await runHere(tokenProgram, line);
  expect(code).toBe(0);
  expect(stdout.replace(/20..-..-..T..:..Z/, 'UNTIL').replace(/ +LABEL/, ' LABEL')).toBe(
    'ID            OWNER  SCOPES  STATUS  EXPIRES LABEL\n' +
      `${splitToken(running.token).id}  demo   all     active  UNTIL (in less than a day)  npm start\n`,
  );
});

test('/ leads to the reference, whose page has the demo token', async () => {
  const response = await fetch(new URL('/', running.baseUrl));
  expect(response.url).toBe(new URL('/docs', running.baseUrl).href);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await response.text()).toContain(`data-token="${running.token}"`);
});

test('a client of the database that disconnects before the end of its request stops nothing', async () => {
  const socket = connect(Number(new URL(running.dynamodbEndpoint).port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await eventually('a connection', once(socket, 'ready'));
  socket.resetAndDestroy();
  for (let i = 0; i < 10; i += 1) {
    expect(await list()).toEqual(plants);
  }
});

/** Sends a command to the database. */
const sendCommand = ({ dynamodbEndpoint }: NpmStart, operation: string, body: string) =>
  fetch(dynamodbEndpoint, {
    method: 'POST',
    headers: {
      Authorization: 'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c',
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Date': '20260101T000000Z',
      'X-Amz-Target': `DynamoDB_20120810.${operation}`,
    },
    body,
  });

const ResourceArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Plants';
test.each([
  ['TagResource', JSON.stringify({ ResourceArn, Tags: [{}] }), 'Value cannot be null or undefined'],
  ['PutItem', 'null', "Cannot read properties of null (reading 'ReturnConsumedCapacity')"],
])('a %s on which dynalite fails gets 500, and the next request is served', async (...row) => {
  const [operation, body, message] = row;
  const response = await sendCommand(running, operation, body);
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
    message,
  });
  expect(await list()).toEqual(plants);
  await expectLog(`The database failed on a request: ${message}`, 'TIME GET    /v1/plants 200 MS');
});

test.each([
  ['ListTables', '{}', { TableNames: ['AccessTokens', 'Plants'] }],
  ['DescribeTable', '{"TableName":"Plants"}', { Table: { TableName: 'Plants' } }],
  ['Scan', '{"TableName":"Plants"}', { Count: 1 }],
  [
    'Query',
    '{"TableName":"Plants","KeyConditionExpression":"#o=:o","ExpressionAttributeNames":{"#o":"owner"},"ExpressionAttributeValues":{":o":{"S":"demo"}}}',
    { Count: 1 },
  ],
  [
    'GetItem',
    '{"TableName":"Plants","Key":{"owner":{"S":"demo"},"id":{"N":"1"}}}',
    { Item: { id: { N: '1' } } },
  ],
])('people look into the database with %s', async (operation, body, found) => {
  const response = await sendCommand(running, operation, body);
  expect(await response.json()).toMatchObject(found);
});

test('a missing file of the reference aborts its request, and the next one is served', async () => {
  rmSync(join(copy.folder, 'docs', 'openapi.json'));
  await expect(fetch(new URL('/docs/openapi.json', running.baseUrl))).rejects.toThrow();
  await running.waitFor('an error', () => running.output.stderr.slice(read).includes('ENOENT'));
  expect(await list()).toEqual(plants);
});

test('the API and the database have addresses on 127.0.0.1', () => {
  const hosts = [running.baseUrl, running.dynamodbEndpoint].map((url) => new URL(url).hostname);
  expect(hosts).toEqual(['127.0.0.1', '127.0.0.1']);
});

/** Writes a file as vim, git and sed -i do. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}

/** Deletes the record of the demo token. Returns the record. */
async function deleteToken(store: NpmStart): Promise<object> {
  const Key = { id: { S: splitToken(store.token).id } };
  const body = JSON.stringify({ TableName: 'AccessTokens', Key, ReturnValues: 'ALL_OLD' });
  const response = await sendCommand(store, 'DeleteItem', body);
  const { Attributes } = (await response.json()) as { Attributes: object };
  return Attributes;
}

test('with --watch and a debugger, npm start reloads changed functions, has no timeout, and stops with its launcher', async () => {
  // A policy would stay cached for longer than this test waits.
  const watched = copyProject({ 'plant-store:authorizer-cache': 300 });
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
  const host = addresses.some(({ address }) => address === '::1') ? '::1' : '127.0.0.1';
  const options = ['--watch', '--inspect', '127.0.0.1:0', '--dynamodb-host', host];
  const store = await startCopy(watched, options);
  expect(new URL(store.dynamodbEndpoint).hostname).toBe(host.replace('::1', '[::1]'));
  const says = follow(store);
  // Editors write other files beside the code. They reload nothing.
  writeFileSync(`${watched.list}.swp`, '');
  expect((await store.create({ id: 1, ...makeFields() })).status).toBe(201);
  await says(/ POST .*\n/);
  expect(store.output.stderr).not.toContain('reloaded');

  // A debugger may pause a call. A change costs it one 503.
  const waiting = store.list('?fault=wait');
  await says('waiting');
  store.advance(3_600_000);
  expect((await store.list()).status).toBe(200);
  replaceFile(watched.list, `${faultyList}const ;\n`);
  expect((await waiting).status).toBe(503);
  await says(
    /Functions changed; reloaded\.\n.* GET {4}\/v1\/plants\?fault=wait 503 \d+ ms unavailable\n {4}The functions were reloaded\.\n/,
  );

  // A syntax error is shown with its line, until the file is replaced again.
  await says(/^The functions failed: .*list-plants\.ts:\d+\n.*\nconst ;\n +\^/m);
  expect((await store.list()).status).toBe(503);
  replaceFile(watched.list, faultyList.replace('statusCode: 200', 'statusCode: 201'));
  const status = async () => (await store.list('?fault=environment')).status;
  await store.waitFor('status 201', async () => (await status()) === 201);
  // The data and the token are the same.
  expect(await list(store)).toEqual(plants);

  // Policies are cached until a change in functions/shared, which asks for a restart.
  await deleteToken(store);
  expect((await store.list()).status).toBe(200);
  const problems = join(watched.folder, 'functions', 'shared', 'problems.ts');
  replaceFile(problems, `${readFileSync(problems, 'utf8')}\n`);
  replaceFile(watched.list, faultyList);
  await says(
    'Functions changed; reloaded.\n' +
      'The gateway uses functions/shared too. Restart npm start to apply the change there.\n',
  );
  await store.waitFor('a refusal', async () => (await store.list()).status === 401);

  // Windows does not rename a watched folder.
  if (process.platform !== 'win32') {
    const functions = join(watched.folder, 'functions');
    renameSync(functions, `${functions}-before`);
    cpSync(`${functions}-before`, functions, { recursive: true });
    await says('functions/ was removed or replaced. Restart npm start to reload its changes.\n');
  }

  store.child.disconnect();
  const isGone = () =>
    fetch(store.baseUrl).then(
      () => false,
      () => true,
    );
  await store.waitFor('the end', isGone);
  expect(readdirSync(watched.folder)).not.toContain('.plant-store');
});

/** Makes Node's watcher fail, as at a limit of the system, in place of `@parcel/watcher`. */
const failToWatch = (code: string) => `
  const { syncBuiltinESMExports } = process.getBuiltinModule('node:module');
  const fs = process.getBuiltinModule('node:fs');
  fs.watch = () => { throw Object.assign(new Error(), { code: '${code}' }); };
  syncBuiltinESMExports();`;

test.each([
  ['EMFILE', 'fs.inotify.max_user_instances=1024'],
  ['ENOSPC', 'fs.inotify.max_user_watches=524288'],
])('without a watcher left (%s), an error has one line', async (code, setting) => {
  const hook = `--import=data:text/javascript,${encodeURIComponent(failToWatch(code))}`;
  const watch = `import('./lib/local/runtime/watch.ts')
    .then(({ watchFunctions }) => watchFunctions())
    .catch((error) => console.log(error.message));`;
  const args = [hook, '--eval', watch];
  expect(await startProgram(process.execPath, args).ended()).toEqual({
    code: 0,
    stdout:
      'functions/ cannot be watched: other programs of this user watch as much as the system ' +
      `allows. Stop one, or raise the limit: sudo sysctl ${setting}\n`,
    stderr: '',
  });
});

test('an address that no debugger can use fails with one line', async () => {
  const { port } = new URL(await serve(() => {}));
  const args = ['bin/start.ts', '--memory', '--inspect', `192.0.2.1:${port}`];
  expect(await startProgram(process.execPath, args).ended()).toEqual({
    code: 1,
    stdout: '',
    // The first line is Node's.
    stderr:
      `Starting inspector on 192.0.2.1:${port} failed: address not available\n` +
      `error: No debugger can use 192.0.2.1:${port}. Choose another address with --inspect.\n`,
  });
});

test('if cdk.json sets authorizer-cache to 0, a deleted token gets 401 at once', async () => {
  expect((await running.list()).status).toBe(200);
  const Item = await deleteToken(running);
  expect((await running.list()).status).toBe(401);
  await sendCommand(running, 'PutItem', JSON.stringify({ TableName: 'AccessTokens', Item }));
  expect((await running.list()).status).toBe(200);
});

test('the responses to a rotated token announce the end of its overlap', async () => {
  const { baseUrl, dynamodbEndpoint } = running;
  const runToken = (line: string, stdin = '') =>
    runHere(tokenProgram, `${line} --dynamodb-endpoint ${dynamodbEndpoint}`, { stdin });
  const { stdout: token } = await runToken('issue --owner rita --expires-in 30d');
  const hoursLeft = async () => {
    const headers = { Authorization: `Bearer ${token.trim()}` };
    const response = await fetch(`${baseUrl}/plants`, { headers });
    const end = Date.parse(`${response.headers.get('Access-Token-Expires')}`);
    return Math.round((end - Date.now()) / 3_600_000);
  };
  expect(await hoursLeft()).toBe(30 * 24);
  expect(await runToken('rotate - --overlap 1h', token)).toMatchObject({ code: 0 });
  expect(await hoursLeft()).toBe(1);
});
