import { join } from 'node:path';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { Command } from 'commander';
import { exampleId, examplePlant } from '../../bin/command-line/example-plant.ts';
import {
  addLocalOptions,
  issueDemoToken,
  openDatabase as openFolder,
  printReady,
} from '../../bin/command-line/local.ts';
import { announce } from '../../bin/command-line/running.ts';
import { issueToken } from '../../functions/access-tokens/administration.ts';
import { startDatabase } from '../../lib/offline/database.ts';
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

test('a folder in use fails with one line that names the npm start in it', async () => {
  process.chdir(temporaryFolder());
  finallyDo(() => process.chdir(root));
  const data = temporaryFolder();
  const { stop } = await startDatabase({ folder: data, port: 0 });
  finallyDo(stop);
  const baseUrl = `${await serve((_, response) => response.end('ours'))}/v1`;
  const dynamodbEndpoint = 'http://127.0.0.1:8000';
  announce({ instance: 'ours', processId: 4711, baseUrl, dynamodbEndpoint, data });
  const handlers = jest.spyOn(process, 'once').mockReturnValue(process);
  await expect(openFolder({ port: 0, dynamodbPort: 0, data }, '127.0.0.1')).rejects.toThrow(
    `${data} is in use by process 4711, the "npm start" at ${baseUrl}. Stop that one, or choose ` +
      'another folder with --data, or keep data in memory only with --memory.',
  );
  handlers.mockRestore();
});

/** Parses options of npm start. Returns them, or the message of an error. */
function parse(...args: string[]): unknown {
  const program = addLocalOptions(new Command('npm start --')).exitOverride();
  program.configureOutput({ writeErr: () => {} });
  try {
    return program.parse(args, { from: 'user' }).opts();
  } catch (error) {
    return (error as Error).message;
  }
}

test('without options, the ports are 3000 and 8000 and the folder is .plant-store', () => {
  expect(parse()).toEqual({ port: 3000, dynamodbPort: 8000, data: '.plant-store' });
});

test('a folder is one from where npm was started, and the default one in the project’s', () => {
  process.env.INIT_CWD = join(root, 'docs');
  const own = parse('--data', './x');
  const byDefault = parse();
  delete process.env.INIT_CWD;
  expect(own).toMatchObject({ data: join(root, 'docs', 'x') });
  expect(byDefault).toMatchObject({ data: '.plant-store' });
});

test.each([
  [
    '--data= ',
    "error: option '--data <folder>' argument '' is invalid. Name a folder, or keep data in memory only with --memory.",
  ],
  ['--memory --data x', "error: option '--memory' cannot be used with option '--data <folder>'"],
  [
    '--port 65536',
    "error: option '--port <n>' argument '65536' is invalid. A port is 0 to 65535; 0 means any free port.",
  ],
])('%s fails with one line', (options, message) => {
  expect(parse(...options.trim().split(' '))).toBe(message);
});

const ready = {
  baseUrl: 'http://127.0.0.1:3000/v1',
  token: 'TOKEN',
  dynamodbEndpoint: 'http://127.0.0.1:8000',
};
const options = { port: 3000, dynamodbPort: 8000, data: '.plant-store' };

const setPlatform = (value: NodeJS.Platform) =>
  Object.defineProperty(process, 'platform', { value, configurable: true });

test.each([
  { platform: 'linux', shell: '' },
  { platform: 'win32', shell: ' in Git Bash' },
] as const)(
  'on $platform, the output names the addresses, the token and three commands to paste',
  (row) => {
    const { platform: own } = process;
    setPlatform(row.platform);
    const log = jest.spyOn(console, 'log').mockReturnValue();
    printReady(ready, options, 'More.', 'http://127.0.0.1:3000/docs');
    printReady(ready, { ...options, memory: true }, '');
    const [[text], [inMemory]] = log.mock.calls as [[string], [string]];
    log.mockRestore();
    setPlatform(own);
    expect(inMemory).toContain('DynamoDB:    http://127.0.0.1:8000 (in memory)\n');
    expect(text).toBe(`
Reference:   http://127.0.0.1:3000/docs
Plant Store: http://127.0.0.1:3000/v1
DynamoDB:    http://127.0.0.1:8000 (in .plant-store)
Token:       TOKEN (owner demo, 24 hours)

Create, list and delete a plant${row.shell}:

  curl -i http://127.0.0.1:3000/v1/plants -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' -d '${JSON.stringify({ id: exampleId, ...examplePlant })}'
  curl -i http://127.0.0.1:3000/v1/plants -H 'Authorization: Bearer TOKEN'
  curl -i -X DELETE http://127.0.0.1:3000/v1/plants/7 -H 'Authorization: Bearer TOKEN'

Press Ctrl-C to stop. More.
`);
  },
);
