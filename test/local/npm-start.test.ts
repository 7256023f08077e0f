import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { findRunning } from '../../lib/local/running.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { copyProduct, root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { stoppedClock } from '../support/clock/clock.ts';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/http/servers.ts';
import { makeFields } from '../support/plant.ts';
import { testOnPosix } from '../support/posix.ts';
import { type NpmStart, startNpmStart, startProgram } from '../support/program.ts';
import { maskStart } from '../support/programs/printed.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

// `npm start -- --memory --watch` in a copy of the project. A query makes its list fail.

const folder = temporaryFolder();
const inCopy = (file: string) => join(folder, 'functions', file);
const listOfCopy = inCopy('list-plants.ts');
let running: NpmStart;

const faultyList = `
import { handler as list } from './own-list.ts';

const faults: Record<string, () => unknown> = {
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
  return faults[fault] ? faults[fault]() : list(event, context);
}
`;

/** Changes settings in the copy's cdk.json. */
function changeSettings(settings: object): void {
  const file = join(folder, 'cdk.json');
  const cdk = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(cdk.context, settings);
  writeFileSync(file, JSON.stringify(cdk));
}

beforeAll(async () => {
  copyProduct(folder);
  renameSync(listOfCopy, inCopy('own-list.ts'));
  writeFileSync(listOfCopy, faultyList);
  changeSettings({ 'plant-store:cors-origin': 'https://plants.example' });
  // The SDK would fail if it read the AWS files of a developer.
  const file = join(folder, 'aws-config');
  writeFileSync(file, '[profile work]\ndefaults_mode = of a developer\n');
  const aws = { AWS_PROFILE: 'work', AWS_CONFIG_FILE: file, AWS_SHARED_CREDENTIALS_FILE: file };
  const env = { ...process.env, ...aws, SECRET_OF_A_DEVELOPER: 'secret', TZ: 'Asia/Tokyo' };
  const [, ...command] = scripts.start.split(' ');
  const options = { project: folder, cwd: folder, command, env };
  running = await startNpmStart(['--memory', '--watch'], options);
  // Editors write other files beside the code. They reload nothing.
  writeFileSync(`${listOfCopy}.swp`, '');
  expect((await running.create({ id: 1, ...makeFields() })).status).toBe(201);
  await expectLog('TIME POST   /v1/plants 201 MS');
});

const list = async () => {
  const response = await running.list();
  return { status: response.status, body: await response.text() };
};
const plants = { status: 200, body: JSON.stringify([makeFields()]) };

let read = 0;

/**
 * Expects these lines on stderr since the previous ones, without stacks. They can be in any order,
 * because the output of the thread comes before or after the lines of its request.
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
  read = running.output.stderr.lastIndexOf('\n') + 1;
}

/** Waits for a text on stderr after the previous one. */
async function says(text: string | RegExp): Promise<void> {
  const form = typeof text === 'string' ? RegExp(RegExp.escape(text)) : text;
  const find = () => form.exec(running.output.stderr.slice(read));
  const found = await running.waitFor(`${form} on stderr`, find);
  read += Number(found?.index) + `${found}`.length;
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

test('--localhost is the running npm start, with --memory too, and uses no proxy', async () => {
  const args = ['bin/token.ts', 'list', '--owner', 'demo', '--localhost'];
  // Nothing listens there.
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1' };
  const program = startProgram(process.execPath, args, { cwd: folder, env });
  const { stdout, ...others } = await program.ended();
  expect(others).toEqual({ code: 0, stderr: '' });
  expect(stdout.replace(/20..-..-..T..:..Z/, 'UNTIL')).toBe(
    'ID            OWNER  SCOPES  STATUS  EXPIRES            LABEL\n' +
      `${splitToken(running.token).id}  demo   all     active  UNTIL  npm start\n`,
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

test('a missing file of the reference aborts its request, and the next one is served', async () => {
  rmSync(join(folder, 'docs', 'openapi.json'));
  await expect(fetch(new URL('/docs/openapi.json', running.baseUrl))).rejects.toThrow();
  await says('ENOENT');
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

test('a change costs a call in progress one 503', async () => {
  const waiting = running.list('?fault=wait');
  await says('waiting');
  replaceFile(listOfCopy, `${faultyList}const ;\n`);
  expect((await waiting).status).toBe(503);
  await says(
    /Functions changed; reloaded\.\n.* GET {4}\/v1\/plants\?fault=wait 503 \d+ ms unavailable\n {4}The functions were reloaded\.\n/,
  );
});

test('a syntax error is shown with its line, until the file is replaced again', async () => {
  await says(/^The functions failed: .*list-plants\.ts:\d+\n.*\nconst ;\n +\^/m);
  expect((await running.list()).status).toBe(503);
  replaceFile(listOfCopy, faultyList.replace('statusCode: 200', 'statusCode: 201'));
  const status = async () => (await running.list('?fault=environment')).status;
  await running.waitFor('status 201', async () => (await status()) === 201);
  // The data and the token are the same.
  expect(await list()).toEqual(plants);
});

/** Deletes the record of the demo token. */
async function deleteToken({ dynamodbEndpoint, token }: NpmStart): Promise<void> {
  const deletion = await fetch(dynamodbEndpoint, {
    method: 'POST',
    headers: {
      Authorization: 'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c',
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Date': '20260101T000000Z',
      'X-Amz-Target': 'DynamoDB_20120810.DeleteItem',
    },
    body: JSON.stringify({
      TableName: 'AccessTokens',
      Key: { id: { S: splitToken(token).id } },
    }),
  });
  expect(deletion.status).toBe(200);
}

test('policies are cached until a change in functions/shared, which asks for a restart', async () => {
  await deleteToken(running);
  expect((await list()).status).toBe(200);

  const path = inCopy(join('shared', 'problems.ts'));
  replaceFile(path, `${readFileSync(path, 'utf8')}\n`);
  await says(
    'Functions changed; reloaded.\n' +
      'The gateway uses functions/shared too. Restart npm start to apply the change there.\n',
  );
  await running.waitFor('a refusal', async () => (await list()).status === 401);
});

testOnPosix('a watched folder cannot be renamed there')(
  'a functions/ that is replaced asks for a restart, because its watcher is deaf then',
  async () => {
    renameSync(inCopy('.'), join(folder, 'old'));
    cpSync(join(folder, 'old'), inCopy('.'), { recursive: true });
    await says('functions/ was removed or replaced. Restart npm start to reload its changes.\n');
  },
);

test('npm start stops with its launcher, and with --memory it has written its address only', async () => {
  running.child.kill('SIGKILL');
  await running.waitFor('the end', () =>
    fetch(running.baseUrl).then(
      () => false,
      () => true,
    ),
  );
  expect(existsSync(join(folder, 'cdk.json'))).toBe(true);
  const { port } = new URL(running.dynamodbEndpoint);
  const file = join('running', `${port}.json`);
  const written = readdirSync(join(folder, '.plant-store'), { recursive: true });
  expect(written.sort()).toEqual(['running', file]);
  const announced = JSON.parse(readFileSync(join(folder, '.plant-store', file), 'utf8'));
  expect(announced).not.toHaveProperty('data');
});

test.each([
  {
    options: ['--port', 'PORT'],
    stderr: 'error: Port PORT is taken. Choose another with --port.\n',
  },
  {
    options: ['--port', '0', '--inspect', 'PORT'],
    // The first line is Node's.
    stderr:
      'Starting inspector on 127.0.0.1:PORT failed: address already in use\n' +
      'error: No debugger can use 127.0.0.1:PORT. Choose another address with --inspect.\n',
  },
  {
    options: ['--port', '0', '--inspect', '192.0.2.1:PORT'],
    stderr:
      'Starting inspector on 192.0.2.1:PORT failed: address not available\n' +
      'error: No debugger can use 192.0.2.1:PORT. Choose another address with --inspect.\n',
  },
])('an address that cannot be used fails with one line: $options', async ({ options, stderr }) => {
  const { port } = new URL(await serve(() => {}));
  const fill = (text: string) => text.replaceAll('PORT', port);
  const args = ['--memory', '--dynamodb-port', '0', ...options.map(fill)];
  const program = startProgram(process.execPath, ['bin/start.ts', ...args]);
  expect(await program.ended()).toEqual({ code: 1, stdout: '', stderr: fill(stderr) });
});

const testLimits = testOnPosix('it limits no file');
/** The next `npm start`, in the copy with other settings. */
let next: NpmStart;

testLimits(
  'npm start says if it cannot announce itself, a failed write stops it, and the next one has the others',
  async () => {
    const data = join(temporaryFolder(), 'new', 'store');
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.plant-store'), 'a file');
    // A file of the database cannot grow beyond 32 or 64 KiB, as if the disk was full.
    const start = join(root, 'bin', 'start.ts');
    const limited = ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath, start];
    const args = ['--port', '0', '--dynamodb-port', '0', '--data', data];
    const env = { ...process.env, ...stoppedClock };
    const program = startProgram('sh', [...limited, ...args], { cwd, env });
    await program.line(/^Press Ctrl-C/);
    const [, baseUrl = ''] = /^Plant Store: (.+)$/m.exec(program.output.stdout) ?? [];
    const [, token = ''] = /Bearer (\w+)/.exec(program.output.stdout) ?? [];
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const created: string[] = [];
    for (let id = 1; id <= 1000 && program.child.exitCode === null; id += 1) {
      const name = `${id} ${'🌵'.repeat(190)}`;
      const body = JSON.stringify({ id, name });
      const response = await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body }).catch(
        () => undefined,
      );
      if (response?.status !== 201) {
        break;
      }
      created.push(name);
    }
    expect(created.length).toBeGreaterThan(20);
    const ended = await program.ended();
    const [, endpoint = ''] = /^DynamoDB: +(\S+)/m.exec(ended.stdout) ?? [];
    const { code, stdout } = maskStart(ended);
    const stderr = ended.stderr
      .replaceAll(/^.* POST {3}\/v1\/plants 201 \d+ ms\n/gm, '')
      .replace(endpoint, 'ENDPOINT')
      .replaceAll(data, 'FOLDER')
      // The parts that the system adds.
      .replace(/database \(.*\)/, 'database (…)')
      .replace(/IO error: .*: /, 'IO error: …: ');
    expect({ code, stdout: stdout.replace(data, 'FOLDER'), stderr }).toMatchSnapshot();

    changeSettings({ 'plant-store:authorizer-cache': 0 });
    rmSync(join(cwd, '.plant-store'));
    next = await startNpmStart(['--data', data], { project: folder, cwd });
    const response = await next.list();
    const names = ((await response.json()) as { name: string }[]).map(({ name }) => name);
    expect(names.slice(0, created.length)).toEqual(created);

    // Other programs find it.
    process.chdir(cwd);
    const found = await findRunning().finally(() => process.chdir(root));
    expect(found).toMatchObject([
      { processId: next.child.pid, baseUrl: next.baseUrl, data: realpathSync(data) },
    ]);
  },
);

testLimits('if cdk.json sets authorizer-cache to 0, a deleted token gets 401 at once', async () => {
  await deleteToken(next);
  expect((await next.list()).status).toBe(401);
});

testLimits('SIGINT stops npm start at once, although a request is open', async () => {
  const socket = connect(Number(new URL(next.baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await eventually('a connection', once(socket, 'connect'));
  socket.write('POST /v1/plants HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  await next.stop('SIGINT');
});
