import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { plantsProgram } from '../../bin/plants.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { issueToken } from '../../lib/tokens/tokens.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  fail,
  pass,
  passAfter,
  reset,
  startFaultProxy,
  throttle,
} from '../support/database/proxy.ts';
import { makeBody, makePlant } from '../support/plant.ts';
import { testOnPosix } from '../support/posix.ts';
import { mask } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';

const { endpoint, database } = await openDatabase();
const folder = temporaryFolder();

/** Runs a command of `npm run plants`, started in a temporary folder. */
const plants = (line: string, stdin: string | Readable = '', to = endpoint) =>
  runHere(plantsProgram, `${line} --dynamodb-endpoint ${to}`, { stdin, env: { INIT_CWD: folder } });

const line = (id: bigint | number, name: string) => `${makeBody(id, name)}\n`;
const aloe = makeBody(1, 'Aloe');

const put = (TableName: string, Item: object) =>
  database.send(new PutCommand({ TableName, Item: { ...Item } }));
const putPlant = (owner: string, id: number, name: unknown) =>
  put(tableIds.plants, { owner, ...makePlant(BigInt(id)), name });
/** Returns the names of an owner's plants. */
async function listNames(owner: string): Promise<unknown[]> {
  const query = new QueryCommand({
    TableName: tableIds.plants,
    KeyConditionExpression: '#owner = :owner',
    ExpressionAttributeNames: { '#owner': 'owner' },
    ExpressionAttributeValues: { ':owner': owner },
  });
  return ((await database.send(query)).Items ?? []).map(({ name }) => name);
}
const newToken = { scopes: allScopes, label: '', lifetime: 'never' } as const;
const issue = (owner: string) =>
  issueToken(database, tableIds.accessTokens, { ...newToken, owner });

// Its plants do not slow down the tests that read all plants.
const large = await openDatabase();
test.each([
  { owner: 'no-plant', count: 0 },
  { owner: 'one-plant', count: 1 },
  { owner: 'several-pages', count: 5 },
])('an export of $owner is complete', async ({ owner, count }) => {
  const ids = Array.from({ length: count }, (_, i) => i + 1);
  for (const id of ids) {
    const Item = { owner, ...makePlant(BigInt(id), 'Aloe'), padding: 'x'.repeat(300_000) };
    await large.database.send(new PutCommand({ TableName: tableIds.plants, Item }));
  }
  const { stdout, ...ended } = await plants(`export - --owner ${owner}`, '', large.endpoint);
  expect(stdout).toBe(ids.map((id) => line(id, 'Aloe')).join(''));
  expect(ended).toMatchSnapshot();
});

test('an export creates one file, even for no plant, which only its user can open', async () => {
  await putPlant('modes', 1, 'Aloe');
  await putPlant('modes', 2, 'Ficus');
  const own = join(folder, 'own');
  mkdirSync(own);
  expect(await plants('export own/modes.jsonl --owner modes')).toMatchSnapshot();
  expect(readdirSync(own)).toEqual(['modes.jsonl']);
  const file = join(own, 'modes.jsonl');
  expect(readFileSync(file, 'utf8')).toBe(line(1, 'Aloe') + line(2, 'Ficus'));
  await plants('export own/nobody.jsonl --owner nobody');
  expect(readFileSync(join(own, 'nobody.jsonl'), 'utf8')).toBe('');
  // Windows has no modes.
  if (process.platform !== 'win32') {
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
});

testOnPosix('links need a right there').each<[what: string, lay: (path: string) => void]>([
  ['a file', (path) => writeFileSync(path, 'mine')],
  ['a link to nothing', (path) => symlinkSync('nowhere', path)],
  ['a link to a folder', (path) => symlinkSync(import.meta.dirname, path)],
  ['an empty folder', (path) => mkdirSync(path)],
])('%s under the name of an export stays as it is', async (what, lay) => {
  const name = what.replaceAll(' ', '-');
  const file = join(folder, name);
  lay(file);
  const { ino, size, mtimeMs } = lstatSync(file);
  expect(mask(await plants(`export ${name} --owner alice`), { FILE: file })).toMatchSnapshot();
  expect(lstatSync(file)).toMatchObject({ ino, size, mtimeMs });
});

const longest = 'x'.repeat(255);
test('an export takes the longest name of a file', async () => {
  expect(await plants(`export ${longest} --owner alice`)).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, longest), 'utf8')).toBe('');
});

testOnPosix('links need a right there').each([
  { name: `${longest}x`, error: 'name too long' },
  { name: 'file/plants.jsonl', error: 'not a directory' },
  { name: 'loop/plants.jsonl', error: 'too many symbolic links encountered' },
  { name: 'none/plants.jsonl', error: 'no such file or directory' },
])('an export that cannot get its name fails with one line: $error', async ({ name, error }) => {
  const own = temporaryFolder();
  writeFileSync(join(own, 'file'), '');
  symlinkSync('loop', join(own, 'loop'));
  const { code, stderr } = await plants(`export ${join(own, name)} --owner alice`);
  const line = `error: Cannot write ${join(own, name)}: ${error}. Choose another file.\n`;
  expect({ code, stderr }).toEqual({ code: 1, stderr: line });
});

test('an export to a terminal escapes what the terminal would execute, as JSON does', async () => {
  await putPlant('obeyed', 1, 'a\u202eb \u{1F335}');
  const command = `export - --owner obeyed --dynamodb-endpoint ${endpoint}`;
  const { stdout } = await runHere(plantsProgram, command, { isTTY: true });
  expect(stdout).toBe('{"id":1,"name":"a\\u202eb \u{1F335}","tag":"indoor"}\n');
  expect(await plants('export - --owner obeyed')).toMatchObject({
    stdout: '{"id":1,"name":"a\u202eb \u{1F335}","tag":"indoor"}\n',
  });
});

test('ids keep every digit and texts every character in an import and an export', async () => {
  const lines = [
    line(-(2n ** 63n), 'smallest \u2028\uFEFF "\\'),
    line(9007199254740993n, '\u{1F335} e\u0301'),
    line(2n ** 63n - 1n, 'largest'),
  ].join('');
  expect(await plants('import - --owner exact', lines)).toMatchSnapshot();
  const { stdout } = await plants('export - --owner exact');
  expect(stdout).toBe(lines);
  writeFileSync(join(folder, 'exact.jsonl'), lines);
  expect(await plants('import exact.jsonl --owner exact')).toMatchSnapshot();
});

test('an import reads a line, and a character, that arrives in two chunks', async () => {
  const bytes = Buffer.from(line(1, 'Café au lait') + line(2, 'Ficus'));
  const cut = bytes.indexOf('é') + 1;
  const stdin = Readable.from([bytes.subarray(0, cut), bytes.subarray(cut)], { objectMode: false });
  expect(await plants('import - --owner chunks', stdin)).toMatchSnapshot();
  expect(await listNames('chunks')).toEqual(['Café au lait', 'Ficus']);
});

test.each([
  'export - --owner',
  'export --owner alice',
  'export pst_Zk3v9QeXb2Lr_',
  'import --owner alice',
  'import . --owner alice',
  'erase',
])('%s fails with one line', async (command) => {
  expect(mask(await plants(command), { FOLDER: folder })).toMatchSnapshot();
});

test('an import of a file that is not there fails with one line', async () => {
  const file = join(folder, 'none.jsonl');
  expect(await plants('import none.jsonl --owner alice')).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: Cannot read the file: ENOENT: no such file or directory, open '${file}'. Choose another file.\n`,
  });
});

test('an import accepts a byte order mark and CR LF, which Windows writes, and a blank at the end', async () => {
  const text = `\uFEFF${line(1, 'Aloe')}\n${line(2, 'Ficus')} `.replaceAll('\n', '\r\n');
  expect(await plants('import - --owner windows', text)).toMatchSnapshot();
});

test('an import rejects lines that the API would reject, and changes no stored plant', async () => {
  await putPlant('strict', 1, 'Ficus');
  const lines = [
    makeBody(1, 'Aloe'),
    makeBody(1, 'Ficus'),
    '',
    `${makeBody('2.0', 'Aloe')}\r`,
    makeBody('"3","unknown":[]', ''),
    makeBody('4,"id":4', '\0'),
    makeBody(9223372036854775808n),
    '[]',
    'id,a,b',
    '{"id":1,"name":"Aloe",}',
    makeBody('7,"\u009b2J\u202e":1'),
    makeBody(8, 'Aloe'),
    ' ',
    `${makeBody(6)}${' '.repeat(20_000)}`,
  ];
  const { code, stdout, stderr } = await plants('import - --owner strict', lines.join('\n'));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  // The line about a conflict waits for the database.
  const reported = stderr.split('\n');
  expect([...reported.splice(0, 9).sort(), ...reported]).toMatchSnapshot();
  expect(await listNames('strict')).toEqual(['Ficus', 'Aloe', 'Aloe']);
});

test.each([
  { input: 'UTF-16 LE', swap: false, text: line(1, 'Aloe') + line(2, 'Ficus') },
  { input: 'UTF-16 BE', swap: true, text: line(1, 'Aloe') + line(2, 'Ficus') },
  { input: 'UTF-16 LE without a line break', swap: false, text: makeBody(1) },
])('an import of $input fails with one line that names the encoding', async ({ swap, text }) => {
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const stdin = Readable.from([...(swap ? utf16.swap16() : utf16)].map((byte) => Buffer.of(byte)));
  expect(await plants('import - --owner powershell', stdin)).toMatchSnapshot();
});

test('a damaged line after others is invalid, even if UTF-16 could begin like it', async () => {
  const stdin = Readable.from(
    [line(1, 'Aloe'), '\uFFFD\uFFFDa\0\n'].map((text) => Buffer.from(text)),
  );
  const { code, stderr } = await plants('import - --owner damaged', stdin);
  // The message for line 2 is V8's.
  expect(stderr).toMatch(
    /^line 2: .*\nerror: 1 plant created, 0 unchanged, 0 in conflict, 1 invalid\.\n$/,
  );
  expect(code).toBe(1);
});

test.each([20, 21])('an import of %i invalid lines reports 20 of them', async (invalid) => {
  expect(await plants('import - --owner faulty', '[]\n'.repeat(invalid))).toMatchSnapshot();
});

/** Returns the items of every table as JSON. */
async function everything(): Promise<string[]> {
  const scans = Object.values(tableIds).map((TableName) =>
    database.send(new ScanCommand({ TableName })),
  );
  const items = (await Promise.all(scans)).flatMap(({ Items = [] }) => Items);
  return items.map((item) => JSON.stringify(item)).sort();
}

test('erase deletes the tokens and plants of one owner after its name was typed', async () => {
  for (const neighbour of ['anna', 'an', 'Ann']) {
    await putPlant(neighbour, 1, 'Aloe');
    await issue(neighbour);
  }
  // This record may belong to anyone.
  await put(tableIds.accessTokens, { id: 'without an owner' });
  const others = await everything();
  await issue('ann');
  // Damaged records and plants are erased too.
  const { record } = await issue('ann');
  await put(tableIds.accessTokens, { ...record, digest: 'short' });
  await putPlant('ann', 1, 'Aloe');
  await putPlant('ann', 2, 7);
  const all = await everything();

  for (const answer of ['anna\n', 'y\n', ' ann\n', '']) {
    const refused = mask(await plants('erase --owner ann', answer), { ENDPOINT: endpoint });
    expect(refused).toMatchSnapshot(`refused: ${JSON.stringify(answer)}`);
  }
  expect(await everything()).toEqual(all);

  const erased = mask(await plants('erase --owner ann', 'ann\n'), { ENDPOINT: endpoint });
  expect(erased).toMatchSnapshot('erased');
  expect(await everything()).toEqual(others);
  expect(await plants('erase --owner ann')).toMatchSnapshot('nothing left');
});

test('on a terminal, an export, an import and an erasure show their progress', async () => {
  await putPlant('busy', 1, 'Aloe');
  const runs = [
    ['export - --owner busy', ''],
    // The database finds the conflict after it has created the plant.
    ['import - --owner busy', line(2, 'Ficus') + line(1, 'Ficus')],
    ['erase --owner busy', 'busy\n'],
  ] as const;
  let now = Date.now();
  for (const [command, stdin] of runs) {
    // Progress is shown at most ten times a second.
    jest.spyOn(Date, 'now').mockImplementation(() => {
      now += 1000;
      return now;
    });
    const target = `--dynamodb-endpoint ${endpoint}`;
    const ended = await runHere(plantsProgram, `${command} ${target}`, { stdin, isTTY: true });
    const values = { '<ERASE LINE>': '\r\u001b[K', ENDPOINT: endpoint, PLANT: aloe };
    expect(mask(ended, values)).toMatchSnapshot(command);
  }
});

const proxy = await startFaultProxy();
const faulty = proxy.before(endpoint);

test('an import waits while the database throttles', async () => {
  proxy.play('throttled', ...Array(4).fill(throttle), pass);
  // The SDK's pauses before retries are random. Now they last 0 ms.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  expect(await plants('import - --owner throttled', line(1, 'Aloe'), faulty)).toMatchSnapshot();
  expect(proxy.seen('throttled')).toEqual(Array(5).fill('PutItem'));
  expect(await listNames('throttled')).toEqual(['Aloe']);
});

test('a file that is created during an export stays as it is, beside a draft with the plants', async () => {
  await putPlant('late', 1, 'Aloe');
  const file = join(folder, 'late.jsonl');
  proxy.play(
    'late',
    passAfter(async () => writeFileSync(file, 'mine')),
    pass,
  );
  const ended = await plants('export late.jsonl --owner late', '', faulty);
  const [, draft = ''] = /The plants are in (.+\.part)\./.exec(ended.stderr) ?? [];
  expect(mask(ended, { DRAFT: draft, FILE: file })).toMatchSnapshot();
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(readFileSync(draft, 'utf8')).toBe(line(1, 'Aloe'));
});

test.each(['-', 'denied.jsonl'])(
  'an export to %s exits with 1 if a read fails, and leaves no file',
  async (file) => {
    proxy.play('denied', fail(400, 'ValidationException'));
    const ended = await plants(`export ${file} --owner denied`, '', faulty);
    expect(mask(ended, { ENDPOINT: faulty })).toMatchSnapshot();
    expect(readdirSync(folder).filter((name) => name.startsWith('denied'))).toEqual([]);
  },
);

test.each([
  { command: 'export -', before: [] },
  { command: 'import -', before: [] },
  // The owner's plants are counted and listed.
  { command: 'erase', before: [pass, pass] },
])('SIGINT during $command exits with 1 and says what is done', async ({ command, before }) => {
  const owner = `interrupted-${command.split(' ')[0]}`;
  await issue(owner);
  await putPlant(owner, 1, 'Aloe');
  proxy.play(
    owner,
    ...before,
    passAfter(async () => process.emit('SIGINT')),
    pass,
  );
  const stdin = command === 'erase' ? `${owner}\n` : line(2, 'Ficus');
  const exits: unknown[] = [];
  // Here the program goes on, because `exit` returns.
  async function program(): Promise<number> {
    jest.spyOn(process, 'exit').mockImplementation((code) => exits.push(code) as never);
    return plantsProgram();
  }
  const target = `--owner ${owner} --dynamodb-endpoint ${faulty}`;
  const ended = await runHere(program, `${command} ${target}`, { stdin });
  expect(mask(ended, { ENDPOINT: faulty, PLANT: aloe })).toMatchSnapshot();
  expect(exits).toEqual([1]);
});

test('an import stops after a failed write and does not retry it, although its input stays open', async () => {
  proxy.play('lost', reset, pass);
  const stdin = new PassThrough();
  stdin.write(line(1, 'Aloe'));
  expect(await plants('import - --owner lost', stdin, faulty)).toMatchSnapshot();
  expect(stdin.destroyed).toBe(true);
  expect(proxy.seen('lost')).toEqual(['PutItem', 'GetItem']);
  expect(await listNames('lost')).toEqual([]);
  expect(await plants('import - --owner lost', line(1, 'Aloe'), faulty)).toMatchObject({ code: 0 });
});

test.each([
  { title: 'a token is issued', owner: 'renewed', act: () => issue('renewed') },
  { title: 'a plant is created', owner: 'planted', act: () => putPlant('planted', 2, 'Ficus') },
])('erase looks again at the end, and fails if $title while it runs', async ({ owner, act }) => {
  await issue(owner);
  await putPlant(owner, 1, 'Aloe');
  // The owner's plants are counted, listed and deleted.
  proxy.play(owner, pass, pass, passAfter(act), pass);
  const ended = await plants(`erase --owner ${owner}`, `${owner}\n`, faulty);
  expect(mask(ended, { ENDPOINT: faulty })).toMatchSnapshot();
  expect(await plants(`erase --owner ${owner}`, `${owner}\n`)).toMatchObject({ code: 0 });
});
