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
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
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
import { failure, mask, success } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';

const { endpoint, database } = await openDatabase();
const folder = temporaryFolder();

/** Runs a command of `npm run plants`, started in a temporary folder. */
const plants = (line: string, stdin: string | Readable = '', to = endpoint) =>
  runHere(plantsProgram, `${line} --dynamodb-endpoint ${to}`, { stdin, env: { INIT_CWD: folder } });

const line = (id: bigint | number, name: string) => `${makeBody(id, name)}\n`;

const put = (TableName: string, Item: object) =>
  database.send(new PutCommand({ TableName, Item: { ...Item } }));
const putPlant = (owner: string, id: number, name: unknown) =>
  put(tableIds.plants, { owner, ...makePlant(BigInt(id)), name });
const exportLines = async (owner: string) => (await plants(`export - --owner ${owner}`)).stdout;
const newToken = { scopes: allScopes, label: '', lifetime: 'never' } as const;
const issue = (owner: string) =>
  issueToken(database, tableIds.accessTokens, { ...newToken, owner });

// Its plants do not slow down the tests that read all plants.
const large = await openDatabase();
test('an export of several pages is complete', async () => {
  const ids = [1, 2, 3, 4, 5];
  for (const id of ids) {
    const plant = makePlant(BigInt(id), 'Aloe');
    const Item = { owner: 'large', ...plant, padding: 'x'.repeat(300_000) };
    await large.database.send(new PutCommand({ TableName: tableIds.plants, Item }));
  }
  expect(await plants('export - --owner large', '', large.endpoint)).toEqual({
    code: 0,
    stdout: ids.map((id) => line(id, 'Aloe')).join(''),
    stderr: 'Exported 5 plants of large.\n',
  });
});

test('an export creates one file, even for no plant, which only its user can open', async () => {
  await putPlant('modes', 1, 'Aloe');
  await putPlant('modes', 2, 'Ficus');
  const own = join(folder, 'own');
  mkdirSync(own);
  const exported = await plants('export own/modes.jsonl --owner modes');
  expect(exported).toEqual(success('Exported 2 plants of modes.'));
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
])('%s under the name of an export stays as it is', async (what, lay) => {
  const name = what.replaceAll(' ', '-');
  const file = join(folder, name);
  lay(file);
  const { ino, size, mtimeMs } = lstatSync(file);
  expect(await plants(`export ${name} --owner alice`)).toEqual(
    failure(`error: ${file} already exists. Choose another name, or remove it.`),
  );
  expect(lstatSync(file)).toMatchObject({ ino, size, mtimeMs });
});

const longest = 'x'.repeat(255);
test('an export takes the longest name of a file', async () => {
  expect(await plants(`export ${longest} --owner alice`)).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, longest), 'utf8')).toBe('');
});

testOnPosix('its messages differ there').each([
  { name: `${longest}x`, error: 'name too long' },
  { name: 'none/plants.jsonl', error: 'no such file or directory' },
])('an export that cannot get its name fails with one line: $error', async ({ name, error }) => {
  expect(await plants(`export ${name} --owner alice`)).toEqual(
    failure(`error: Cannot write ${join(folder, name)}: ${error}. Choose another file.`),
  );
});

test('an export to a terminal escapes what the terminal would execute, as JSON does', async () => {
  await putPlant('obeyed', 1, 'a\u202eb \u{1F335}');
  const command = `export - --owner obeyed --dynamodb-endpoint ${endpoint}`;
  const { stdout } = await runHere(plantsProgram, command, { isTTY: true });
  expect(stdout).toBe('{"id":1,"name":"a\\u202eb \u{1F335}","tag":"indoor"}\n');
  const unescaped = '{"id":1,"name":"a\u202eb \u{1F335}","tag":"indoor"}\n';
  expect(await exportLines('obeyed')).toBe(unescaped);
  const file = join(folder, 'obeyed.jsonl');
  await runHere(plantsProgram, command.replace('-', `'${file}'`), { isTTY: true });
  expect(readFileSync(file, 'utf8')).toBe(unescaped);
});

test('ids keep every digit and texts every character in an import and an export', async () => {
  const lines = [
    line(-(2n ** 63n), 'smallest \u2028\uFEFF "\\'),
    line(9007199254740993n, '\u{1F335} e\u0301'),
    line(2n ** 63n - 1n, 'largest'),
  ].join('');
  expect(await plants('import - --owner exact', lines)).toEqual(
    success('Imported for exact: 3 plants created, 0 unchanged.'),
  );
  expect(await exportLines('exact')).toBe(lines);
  writeFileSync(join(folder, 'exact.jsonl'), lines);
  expect(await plants('import exact.jsonl --owner exact')).toEqual(
    success('Imported for exact: 0 plants created, 3 unchanged.'),
  );
});

test('an import reads a line, and a character, that arrives in two chunks', async () => {
  const lines = line(1, 'Café au lait') + line(2, 'Ficus');
  const bytes = Buffer.from(lines);
  const cut = bytes.indexOf('é') + 1;
  const stdin = Readable.from([bytes.subarray(0, cut), bytes.subarray(cut)], { objectMode: false });
  expect(await plants('import - --owner chunks', stdin)).toMatchObject({ code: 0 });
  expect(await exportLines('chunks')).toBe(lines);
});

test.each([
  [
    'export pst_Zk3v9QeXb2Lr_',
    'error: An argument looks like an access token. Other users can see arguments, and npm writes them to its log files, so revoke that token by its id. This command takes no tokens.',
  ],
  [
    'import . --owner alice',
    'error: Cannot read the file: EISDIR: illegal operation on a directory, read. Choose another file. So far: 0 plants created, 0 unchanged. Repeat the command.',
  ],
  [
    'import none.jsonl --owner alice',
    `error: Cannot read the file: ENOENT: no such file or directory, open '${join(folder, 'none.jsonl')}'. Choose another file.`,
  ],
  ['erase', "error: required option '--owner <name>' not specified. Run it with --help for usage."],
])('%s fails with one line', async (command, error) => {
  expect(await plants(command)).toEqual(failure(error));
});

test('an import accepts a byte order mark and CR LF, which Windows writes, and a blank at the end', async () => {
  const text = `\uFEFF${line(1, 'Aloe')}\n${line(2, 'Ficus')} `.replaceAll('\n', '\r\n');
  expect(await plants('import - --owner windows', text)).toEqual(
    success('Imported for windows: 2 plants created, 0 unchanged.'),
  );
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
  expect([...reported.splice(0, 9).sort(), ...reported]).toEqual([
    'line 10: is not well-formed JSON: Expected double-quoted property name in JSON at position 22 (line 1 column 23)',
    'line 11: "\\u009b2J\\u202e" is unknown',
    'line 14: must have at most 16384 characters',
    'line 1: id 1 belongs to a different plant; skipped',
    'line 5: "unknown" is unknown; "id" must be an integer; "name" must be 1 to 200 code points long',
    'line 6: "id" must occur only once; "name" must be well-formed Unicode without control characters and without U+FFFD',
    'line 7: "id" must be at most 9223372036854775807',
    'line 8: must be a JSON object',
    `line 9: is not well-formed JSON: Unexpected token 'i', "id,a,b" is not valid JSON`,
    'error: 2 plants created, 1 unchanged, 1 in conflict, 8 invalid.',
    '',
  ]);
  expect(await exportLines('strict')).toBe(line(1, 'Ficus') + line(2, 'Aloe') + line(8, 'Aloe'));
});

test.each([
  { input: 'UTF-16 LE', swap: false },
  { input: 'UTF-16 BE', swap: true },
])('an import of $input fails with one line that names the encoding', async ({ swap }) => {
  const utf16 = Buffer.from(`\uFEFF${line(1, 'Aloe')}`, 'utf16le');
  const stdin = Readable.from([...(swap ? utf16.swap16() : utf16)].map((byte) => Buffer.of(byte)));
  expect(await plants('import - --owner powershell', stdin)).toEqual(
    failure(
      'error: The input is in UTF-16. Convert it with "iconv -f UTF-16 -t UTF-8 FILE > NEW_FILE". So far: 0 plants created, 0 unchanged. Repeat the command.',
    ),
  );
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

test.each([
  { invalid: 20, skipped: [] },
  { invalid: 21, skipped: ['Skipped 1 more line.'] },
])('an import of $invalid invalid lines reports 20 of them', async ({ invalid, skipped }) => {
  const reported = Array.from({ length: 20 }, (_, i) => `line ${i + 1}: must be a JSON object`);
  const error = `error: 0 plants created, 0 unchanged, 0 in conflict, ${invalid} invalid.`;
  expect(await plants('import - --owner faulty', '[]\n'.repeat(invalid))).toEqual(
    failure([...reported, ...skipped, error].join('\n')),
  );
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
    expect(await plants('erase --owner ann', answer)).toEqual(
      failure(
        `ann has 2 access tokens and 2 plants.\nType "ann" to erase them from the database at ${endpoint} permanently: error: The name is not "ann". Nothing was erased. Repeat the command to try again.`,
      ),
    );
  }
  expect(await everything()).toEqual(all);

  const erased = mask(await plants('erase --owner ann', 'ann\n'), { ENDPOINT: endpoint });
  expect(erased).toMatchSnapshot('erased');
  expect(await everything()).toEqual(others);
  expect(await plants('erase --owner ann')).toEqual(
    success('ann has 0 access tokens and 0 plants.'),
  );
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
    const values = { '<ERASE LINE>': '\r\u001b[K', ENDPOINT: endpoint, PLANT: makeBody(1, 'Aloe') };
    expect(mask(ended, values)).toMatchSnapshot(command);
  }
});

const proxy = await startFaultProxy();
const faulty = proxy.before(endpoint);

test('an import and an export wait while the database throttles', async () => {
  proxy.play('throttled', ...Array(4).fill(throttle), pass);
  // The SDK's pauses before retries are random. Now they last 0 ms.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  expect(await plants('import - --owner throttled', line(1, 'Aloe'), faulty)).toEqual(
    success('Imported for throttled: 1 plant created, 0 unchanged.'),
  );
  expect(proxy.seen('throttled')).toEqual(Array(5).fill('PutItem'));

  proxy.play('throttled', ...Array(4).fill(throttle), pass);
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const exported = await plants('export - --owner throttled', '', faulty);
  expect(exported).toMatchObject({ code: 0, stdout: line(1, 'Aloe') });
  expect(proxy.seen('throttled').filter((command) => command === 'Query')).toHaveLength(5);
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
  expect(ended).toEqual(
    failure(
      `error: ${file} was created during the export. The plants are in ${draft}. Move it elsewhere.`,
    ),
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(readFileSync(draft, 'utf8')).toBe(line(1, 'Aloe'));
});

test('an export exits with 1 if a read fails, and leaves no file', async () => {
  proxy.play('denied', fail(400, 'ValidationException'));
  const own = temporaryFolder();
  const command = `export '${join(own, 'plants.jsonl')}' --owner denied`;
  expect(await plants(command, '', faulty)).toEqual(
    failure(
      `error: The server at ${faulty} is not the database of an "npm start" (ValidationException: a secret of the database). Name another with --dynamodb-endpoint.`,
    ),
  );
  expect(readdirSync(own)).toEqual([]);
});

test.each([
  { command: 'export -', before: [], state: 'The export is incomplete.' },
  { command: 'export FILE', before: [], state: 'Nothing was written.' },
  {
    command: 'import -',
    before: [],
    state: 'The outcome of 1 write is unknown. So far: 0 plants created, 0 unchanged.',
  },
  {
    command: 'erase',
    // The owner's plants are counted and listed.
    before: [pass, pass],
    state: 'The outcome of 1 write is unknown. So far: 1 access token and 0 plants erased.',
  },
])('SIGINT during $command exits with 1, says what is done and leaves no file', async (row) => {
  const { command, before, state } = row;
  const owner = `interrupted-${command.split(' ')[0]}`;
  await issue(owner);
  await putPlant(owner, 1, 'Aloe');
  const own = temporaryFolder();
  let left: string[] = [];
  async function interrupt(): Promise<void> {
    process.emit('SIGINT');
    left = readdirSync(own);
  }
  proxy.play(owner, ...before, passAfter(interrupt), pass);
  const stdin = command === 'erase' ? `${owner}\n` : line(2, 'Ficus');
  const typed = command.replace('FILE', `'${join(own, 'plants.jsonl')}'`);
  const ended = await plants(`${typed} --owner ${owner}`, stdin, faulty);
  // The dialog of an erasure comes first.
  const error = ended.stderr.replace(/^.*(?=error: )/s, '');
  expect({ ...ended, stderr: error }).toEqual(
    failure(`error: interrupted. ${state} Repeat the command.`),
  );
  expect(left).toEqual([]);
});

test('an import stops after a failed write and does not retry it, although its input stays open', async () => {
  proxy.play('lost', reset, pass);
  const stdin = new PassThrough();
  stdin.write(line(1, 'Aloe'));
  expect(await plants('import - --owner lost', stdin, faulty)).toEqual(
    failure(
      'error: The outcome of 1 write is unknown (read ECONNRESET). So far: 0 plants created, 0 unchanged. Repeat the command.',
    ),
  );
  expect(stdin.destroyed).toBe(true);
  expect(proxy.seen('lost')).toEqual(['PutItem', 'GetItem']);
  expect(await exportLines('lost')).toBe('');
  expect(await plants('import - --owner lost', line(1, 'Aloe'), faulty)).toMatchObject({ code: 0 });
});

const create = (owner: string) => putPlant(owner, 2, 'Ficus');
test.each([
  { title: 'a token is issued', act: issue, left: '1 access token and 0 plants' },
  { title: 'a plant is created', act: create, left: '0 access tokens and 1 plant' },
])('erase looks again at the end, and fails if $title while it runs', async ({ act, left }) => {
  await issue('renewed');
  await putPlant('renewed', 1, 'Aloe');
  // The owner's plants are counted, listed and deleted.
  proxy.play('renewed', pass, pass, passAfter(act), pass);
  const ended = await plants('erase --owner renewed', 'renewed\n', faulty);
  expect(ended.stderr).toMatch(
    `: error: Erased 1 access token and 1 plant of renewed, who has ${left} again. Repeat the command.\n`,
  );
  expect(ended.code).toBe(1);
  expect(await plants('erase --owner renewed', 'renewed\n')).toMatchObject({ code: 0 });
});
