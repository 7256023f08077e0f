import { join, resolve } from 'node:path';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { startDatabase } from '../../lib/local/database/database.ts';
import { newSamProgram, newStartProgram } from '../../lib/local/options.ts';
import {
  issueDemoToken,
  type LocalOptions,
  openDatabase as openFolder,
  parseArguments,
  printReady,
} from '../../lib/local/ready.ts';
import { announce } from '../../lib/local/running.ts';
import { issueToken } from '../../lib/tokens/tokens.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { root } from '../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/engine.ts';
import { serve } from '../support/http/servers.ts';

const { database, endpoint } = await openDatabase();
const day = 86_400;

/** Issues a token some seconds ago that lives for a day. Returns its id. */
async function issue(owner: string, label: string, age: number): Promise<string> {
  const now = () => Date.now() - age * 1000;
  const input = { owner, scopes: ['plants:read'], label, lifetime: day };
  return (await issueToken(database, 'AccessTokens', input, now)).id;
}

test('a start deletes expired demo tokens only, and issues one with both scopes for 24 hours', async () => {
  await issue('demo', 'npm start', day + 1);
  await issue('demo', 'npm run sam', day + 1);
  const kept = [
    await issue('demo', 'npm start', day - 60),
    await issue('demo', 'mine', day + 1),
    await issue('alice', 'npm start', day + 1),
  ];
  const damaged = { id: 'damaged', owner: 'demo', label: 'npm start', expires: 1 };
  await database.send(new PutCommand({ TableName: 'AccessTokens', Item: damaged }));
  const { id } = splitToken(await issueDemoToken(endpoint, 'npm run sam'));
  const { Items = [] } = await database.send(new ScanCommand({ TableName: 'AccessTokens' }));
  expect(Items.map((item) => item.id).sort()).toEqual([...kept, 'damaged', id].sort());
  const record = Items.find((item) => item.id === id);
  expect(record).toMatchObject({
    owner: 'demo',
    label: 'npm run sam',
    scopes: ['plants:read', 'plants:write'],
  });
  expect(Number(record?.expires) - Number(record?.created)).toBe(day);
});

test('a folder or a port in use fails with one line, which names the npm start in the folder', async () => {
  const folder = temporaryFolder();
  process.chdir(folder);
  finallyDo(() => process.chdir(root));
  const data = 'store';
  const { stop } = await startDatabase({ folder: data, port: 0 });
  finallyDo(stop);
  const baseUrl = `${await serve((_, response) => response.end('ours'))}/v1`;
  const dynamodbEndpoint = 'http://127.0.0.1:8000';
  const others = 'http://127.0.0.1:7999';
  announce({ instance: 'ours', processId: 1, baseUrl, dynamodbEndpoint: others, data: '/another' });
  const ours = { instance: 'ours', processId: 4711, data: join(folder, data) };
  announce({ ...ours, baseUrl, dynamodbEndpoint });
  const handlers = jest.spyOn(process, 'once').mockReturnValue(process);
  await expect(openFolder({ port: 0, dynamodbPort: 0, data }, '127.0.0.1')).rejects.toHaveProperty(
    'message',
    `store is in use by process 4711, the "npm start" at ${baseUrl}. Stop that one, or choose ` +
      'another folder with --data, or keep data in memory only with --memory.',
  );
  const taken = Number(new URL(baseUrl).port);
  const opening = openFolder({ port: 0, dynamodbPort: taken, data, memory: true }, '127.0.0.1');
  finallyDo(() => opening.then((opened) => opened.stop()).catch(() => {}));
  await expect(opening).rejects.toThrow(
    `Port ${taken} is taken. Choose another with --dynamodb-port.`,
  );
  handlers.mockRestore();
});

/** Parses options of npm start. Returns them, or the message of an error. */
function parse(...args: string[]): unknown {
  const program = newStartProgram().exitOverride();
  program.configureOutput({ writeErr: () => {} });
  jest.replaceProperty(process, 'argv', ['node', 'bin/start.ts', ...args]);
  try {
    return parseArguments(program).opts();
  } catch (error) {
    return (error as Error).message;
  } finally {
    jest.restoreAllMocks();
  }
}

test.each([
  ['npm start', newStartProgram],
  ['npm run sam', newSamProgram],
])('the help of %s', (_, newProgram) => {
  expect(newProgram().configureHelp({ helpWidth: 80 }).helpInformation()).toMatchSnapshot();
});

test.each([
  '',
  '--port=0 --dynamodb-port=65535 --dynamodb-host=::1',
  '--inspect',
  '--inspect=0',
  '--inspect=0.0.0.0:65535',
  '--data=',
  '--memory --data x',
  '--data --memory',
  '--port 65536',
  '--port 8x',
  '--dynamodb-port -1',
  '--dynamodb-host localhost',
  '--inspect=65536',
  '--inspect=localhost',
  '--inspect=:9229',
  '--inspect=localhost:9229x',
])('npm start has these options, or fails with one line: “%s”', (options) => {
  expect(parse(...options.split(' ').filter(Boolean))).toMatchSnapshot();
});

test('a folder is one from where npm was started, and the default one in the project’s', () => {
  process.env.INIT_CWD = join(root, 'docs');
  const own = parse('--data', './x');
  const byDefault = parse();
  delete process.env.INIT_CWD;
  expect(parse('--data', 'x')).toMatchObject({ data: resolve('x') });
  expect(own).toMatchObject({ data: join(root, 'docs', 'x') });
  expect(byDefault).toMatchObject({ data: '.plant-store' });
});

test('an option that npm consumed is rejected with the command to run', () => {
  const npm = { npm_lifecycle_event: 'start', npm_config_dynamodb_port: '1' };
  jest.replaceProperty(process, 'env', { ...process.env, ...npm });
  expect(parse()).toBe(
    'error: npm consumed --dynamodb-port. Put "--", with its quotes, before the options: npm start "--" …',
  );
});

const ready = {
  baseUrl: 'http://127.0.0.1:3000/v1',
  token: 'TOKEN',
  dynamodbEndpoint: 'http://127.0.0.1:8000',
};
const options = { port: 3000, dynamodbPort: 8000, data: '.plant-store' };

const setPlatform = (value: NodeJS.Platform) =>
  Object.defineProperty(process, 'platform', { value, configurable: true });

test.each<[NodeJS.Platform, Partial<LocalOptions>, referenceUrl: string | undefined]>([
  ['linux', {}, 'http://127.0.0.1:3000/docs'],
  ['linux', { memory: true }, undefined],
  ['linux', { json: true }, undefined],
  ['win32', {}, undefined],
])('the output on %s with the options %j', (platform, more, referenceUrl) => {
  const { platform: own } = process;
  setPlatform(platform);
  const log = jest.spyOn(console, 'log').mockReturnValue();
  printReady(ready, { ...options, ...more }, 'More.', referenceUrl);
  const [[text]] = log.mock.calls as [[string]];
  log.mockRestore();
  setPlatform(own);
  expect(text).toMatchSnapshot();
});
