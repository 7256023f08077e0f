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
import { issueToken } from '../../functions/access-tokens/administration.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  type Fault,
  fail,
  pass,
  passAfter,
  reset,
  startFaultProxy,
  throttle,
} from '../support/database/proxy.ts';
import { makeFields } from '../support/plant.ts';
import { testOnPosix } from '../support/posix.ts';
import { runHere } from './run.ts';

const { endpoint, database } = await openDatabase();
const folder = temporaryFolder();

/** Runs a command of `npm run plants`, started in a temporary folder. */
const plants = (line: string, stdin: string | Readable = '', to = endpoint) =>
  runHere(plantsProgram, `${line} --dynamodb-endpoint ${to}`, {
    stdin,
    env: { INIT_CWD: folder },
  });

const line = (id: bigint | number, name: string, tag = '') =>
  `{"id":${id},${JSON.stringify(makeFields({ name, tag })).slice(1)}\n`;
const success = (stderr: string, stdout = '') => ({ code: 0, stdout, stderr });
const failure = (stderr: string) => ({ code: 1, stdout: '', stderr });

const put = (TableName: string, Item: object) =>
  database.send(new PutCommand({ TableName, Item: { ...Item } }));
const putPlant = (owner: string, id: number, name: unknown) =>
  put(tableIds.plants, { owner, id, name });
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
const issue = (owner: string) => {
  const newToken = { owner, scopes: allScopes, label: '', lifetime: 'never' } as const;
  return issueToken(database, tableIds.accessTokens, newToken);
};

test.each([0, 1, 2])('an export of %i plants is complete', async (count) => {
  const owner = `owner-of-${count}`;
  const ids = Array.from({ length: count }, (_, i) => i + 1);
  const items = ids.map((id) => ({ owner, id, name: `Plant ${id}` }));
  await Promise.all(items.map((item) => put(tableIds.plants, item)));
  const lines = items.map(({ id, name }) => line(id, name)).join('');
  const told = `Exported ${count} plant${count === 1 ? '' : 's'} of ${owner}.\n`;
  const file = `${owner}.jsonl`;
  expect(await plants(`export ${file} --owner ${owner}`)).toEqual(success(told));
  expect(readFileSync(join(folder, file), 'utf8')).toBe(lines);
  expect(await plants(`export - --owner ${owner}`)).toEqual(success(told, lines));
});

test('an export of several pages is complete', async () => {
  const items = Array.from({ length: 8 }, (_, i) => ({
    ...{ owner: 'large', id: i + 1, name: 'Aloe' },
    padding: 'x'.repeat(300_000),
  }));
  await Promise.all(items.map((item) => put(tableIds.plants, item)));
  const lines = items.map(({ id }) => line(id, 'Aloe')).join('');
  expect(await plants('export - --owner large')).toEqual(
    success('Exported 8 plants of large.\n', lines),
  );
});

test('an export creates one file, which only its user can open where files have modes', async () => {
  await putPlant('modes', 1, 'Aloe');
  const own = join(folder, 'own');
  mkdirSync(own);
  await plants('export own/modes.jsonl --owner modes');
  expect(readdirSync(own)).toEqual(['modes.jsonl']);
  if (process.platform !== 'win32') {
    expect(statSync(join(own, 'modes.jsonl')).mode & 0o777).toBe(0o600);
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
  const before = lstatSync(file);
  expect(await plants(`export ${name} --owner alice`)).toEqual(
    failure(`error: ${file} already exists. Choose another name, or remove it.\n`),
  );
  const { ino, size, mtimeMs } = lstatSync(file);
  expect({ ino, size, mtimeMs }).toEqual({
    ino: before.ino,
    size: before.size,
    mtimeMs: before.mtimeMs,
  });
});

test('ids keep every digit and texts every character in an import and an export', async () => {
  const lines = [
    line(-(2n ** 63n), 'smallest \u2028\uFEFF "\\', 'e\u0301'),
    line(9007199254740993n, '\u{1F335} e\u0301'),
    line(2n ** 63n - 1n, 'largest'),
  ].join('');
  expect(await plants('import - --owner exact', lines)).toEqual(
    success('Imported for exact: 3 plants created, 0 unchanged.\n'),
  );
  const exported = await plants('export - --owner exact');
  expect(exported).toEqual(success('Exported 3 plants of exact.\n', lines));
  writeFileSync(join(folder, 'exact.jsonl'), lines);
  expect(await plants('import exact.jsonl --owner exact')).toEqual(
    success('Imported for exact: 0 plants created, 3 unchanged.\n'),
  );
});

test('an import reads a line, and a character, that arrives in two chunks', async () => {
  const bytes = Buffer.from(line(1, 'Café au lait') + line(2, 'Ficus'));
  const cut = bytes.indexOf('é') + 1;
  const stdin = Readable.from([bytes.subarray(0, cut), bytes.subarray(cut)], { objectMode: false });
  expect(await plants('import - --owner chunks', stdin)).toEqual(
    success('Imported for chunks: 2 plants created, 0 unchanged.\n'),
  );
  expect(await listNames('chunks')).toEqual(['Café au lait', 'Ficus']);
});

test.each([
  'export - --owner',
  'export --owner alice',
  'export pst_Zk3v9QeXb2Lr_',
  'export none/plants.jsonl --owner alice',
  'import --owner alice',
  'import none.jsonl --owner alice',
  'import . --owner alice',
  'erase',
])('%s fails with one line', async (command) => {
  const { stderr, ...ended } = await plants(command);
  // The part that the system adds names a temporary file.
  const line = stderr.replaceAll(folder, 'FOLDER').replace(/(ENOENT: )[^.]*[^ ]*\. /, '$1…. ');
  expect({ ...ended, stderr: line }).toMatchSnapshot();
});

test('an import whose only error is a conflict exits with 1', async () => {
  await putPlant('conflict', 1, 'Ficus');
  expect(await plants('import - --owner conflict', line(1, 'Aloe'))).toEqual(
    failure(
      'line 1: id 1 belongs to a different plant; skipped\n' +
        'error: 0 plants created, 0 unchanged, 1 in conflict, 0 invalid.\n',
    ),
  );
});

test.each([
  ['one option', { npm_config_owner: 'alice' }, '--owner'],
  [
    'two options',
    { npm_config_owner: 'alice', npm_config_localhost: 'true' },
    '--owner, --localhost',
  ],
])('%s that npm consumed is rejected with the command to run', async (_, taken, names) => {
  const env = { npm_lifecycle_event: 'plants', ...taken };
  expect(await runHere(plantsProgram, 'export -', { env })).toEqual(
    failure(
      `error: npm consumed ${names}. Put "--", with its quotes, before the options: npm run -s plants "--" …\n`,
    ),
  );
});

test('an import accepts a byte order mark and CR LF, which Windows writes, and a blank at the end', async () => {
  const text = `\uFEFF${line(1, 'Aloe')}\n${line(2, 'Ficus')} `.replaceAll('\n', '\r\n');
  expect(await plants('import - --owner windows', text)).toEqual(
    success('Imported for windows: 2 plants created, 0 unchanged.\n'),
  );
});

test('an import rejects lines that the API would reject, and changes no stored plant', async () => {
  await putPlant('strict', 1, 'Ficus');
  const lines = [
    '{"id":1,"name":"Aloe"}',
    '{"id":1,"name":"Ficus"}',
    '',
    '{"id":2.0,"name":"Aloe"}\r',
    '{"id":"3","name":"","unknown":[]}',
    '{"id":4,"id":4,"name":"\\u0000"}',
    '{"id":9223372036854775808}',
    '[]',
    'id,a,b',
    '{"id":7,"name":"Aloe","\u009b2J\u202e":1}',
    '{"id":8,"name":"Aloe"}',
    ' ',
    `{"id":6,"name":"Aloe"}${' '.repeat(20_000)}`,
  ];
  const { code, stdout, stderr } = await plants('import - --owner strict', lines.join('\n'));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  // The line about a conflict waits for the database.
  const reported = stderr.split('\n');
  expect([...reported.splice(0, 8).sort(), ...reported]).toEqual([
    'line 10: "\\u009b2J\\u202e" is unknown',
    'line 13: must have at most 16384 characters',
    'line 1: id 1 belongs to a different plant; skipped',
    'line 5: "unknown" is unknown; "id" must be an integer; "name" must be 1 to 200 code points long',
    'line 6: "id" must occur only once; "name" must be well-formed Unicode without control characters and without U+FFFD',
    'line 7: "id" must be at most 9223372036854775807; "name" is required',
    'line 8: must be a JSON object',
    `line 9: is not well-formed JSON: Unexpected token 'i', "id,a,b" is not valid JSON`,
    'error: 2 plants created, 1 unchanged, 1 in conflict, 7 invalid.',
    '',
  ]);
  expect(await listNames('strict')).toEqual(['Ficus', 'Aloe', 'Aloe']);
});

test('an import reports the position of a JSON error, even in a line without a line break', async () => {
  expect(await plants('import - --owner broken', '\n{"id":1,"name":"Aloe",}')).toEqual(
    failure(
      'line 2: is not well-formed JSON: Expected double-quoted property name in JSON at position 22 ' +
        '(line 1 column 23)\n' +
        'error: 0 plants created, 0 unchanged, 0 in conflict, 1 invalid.\n',
    ),
  );
});

test.each([
  { input: 'UTF-16 LE', swap: false, text: line(1, 'Aloe') + line(2, 'Ficus') },
  { input: 'UTF-16 BE', swap: true, text: line(1, 'Aloe') + line(2, 'Ficus') },
  { input: 'UTF-16 LE without a line break', swap: false, text: '{"id":1,"name":"Aloe"}' },
])('an import of $input fails with one line that names the encoding', async ({ swap, text }) => {
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const stdin = Readable.from([...(swap ? utf16.swap16() : utf16)].map((byte) => Buffer.of(byte)));
  expect(await plants('import - --owner powershell', stdin)).toEqual(
    failure(
      'error: The input is in UTF-16. Convert it with ' +
        '"iconv -f UTF-16 -t UTF-8 FILE > NEW_FILE". ' +
        'So far: 0 plants created, 0 unchanged. Repeat the command.\n',
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
  { invalid: 20, skipped: '' },
  { invalid: 21, skipped: 'Skipped 1 more line.\n' },
])('an import of $invalid invalid lines reports 20 of them', async ({ invalid, skipped }) => {
  const named = Array.from({ length: 20 }, (_, i) => `line ${i + 1}: must be a JSON object\n`);
  expect(await plants('import - --owner faulty', '[]\n'.repeat(invalid))).toEqual(
    failure(
      `${named.join('')}${skipped}` +
        `error: 0 plants created, 0 unchanged, 0 in conflict, ${invalid} invalid.\n`,
    ),
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

  const has = 'ann has 2 access tokens and 2 plants.\n';
  const asks = `${has}Type "ann" to erase them from ${endpoint} permanently: `;
  for (const answer of ['anna\n', 'y\n', ' ann\n', '']) {
    const refusal =
      'error: The name is not "ann". Nothing was erased. Repeat the command to try again.\n';
    expect(await plants('erase --owner ann', answer)).toEqual(failure(asks + refusal));
  }
  expect(await everything()).toEqual(all);

  const { stderr, ...ended } = await plants('erase --owner ann', 'ann\n');
  expect({ ...ended, stderr: stderr.replace(endpoint, 'ENDPOINT') }).toMatchSnapshot();
  expect(await everything()).toEqual(others);

  expect(await plants('erase --owner ann')).toEqual(
    success('ann has 0 access tokens and 0 plants.\n'),
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
    const { stderr } = await runHere(plantsProgram, `${command} ${target}`, { stdin, isTTY: true });
    const shown = stderr.replaceAll('\r\u001b[K', '<ERASE LINE>').replace(endpoint, 'ENDPOINT');
    expect(shown).toMatchSnapshot(command);
  }
});

const proxy = await startFaultProxy();
const faulty = proxy.before(endpoint);

interface FaultyRun {
  what: string;
  faults: Fault[];
  sent: string;
  /** The names of the stored plants afterwards. */
  left: string[];
  ended: { code: number; stdout: string; stderr: string };
}

test.each<FaultyRun>([
  {
    what: 'does not retry a write that may have taken effect',
    faults: [reset],
    sent: 'PutItem GetItem',
    left: [],
    ended: failure(
      'error: The outcome of 1 write is unknown (read ECONNRESET). So far: 0 plants created, 0 ' +
        'unchanged. Repeat the command.\n',
    ),
  },
  {
    what: 'waits while the database throttles',
    faults: Array(4).fill(throttle),
    sent: 'PutItem PutItem PutItem PutItem PutItem',
    left: ['Aloe'],
    ended: success(
      'Imported for waits-while-the-database-throttles: 1 plant created, 0 unchanged.\n',
    ),
  },
])('an import $what', async ({ what, faults, sent, left, ended }) => {
  const owner = what.replaceAll(/\W/g, '-');
  proxy.play(owner, ...faults, pass);
  // The SDK's pauses before retries are random. Now they last 0 ms.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  expect(await plants(`import - --owner ${owner}`, line(1, 'Aloe'), faulty)).toEqual(ended);
  expect(proxy.seen(owner).join(' ')).toBe(sent);
  expect(await listNames(owner)).toEqual(left);
  expect(await plants(`import - --owner ${owner}`, line(1, 'Aloe'))).toMatchObject({ code: 0 });
});

test('a file that is created during an export stays as it is, beside a draft with the plants', async () => {
  await putPlant('late', 1, 'Aloe');
  const file = join(folder, 'late.jsonl');
  proxy.play(
    'late',
    passAfter(async () => writeFileSync(file, 'mine')),
    pass,
  );
  const { stderr, ...ended } = await plants('export late.jsonl --owner late', '', faulty);
  const [, draft = ''] = /The plants are in (.+\.part)\./.exec(stderr) ?? [];
  expect({ ...ended, stderr }).toEqual(
    failure(
      `error: ${file} was created during the export. The plants are in ${draft}. Move it elsewhere.\n`,
    ),
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(readFileSync(draft, 'utf8')).toBe(line(1, 'Aloe'));
});

test.each(['-', 'denied.jsonl'])(
  'an export to %s exits with 1 if a read fails, and leaves no file',
  async (file) => {
    proxy.play('denied', fail(400, 'ValidationException'));
    expect(await plants(`export ${file} --owner denied`, '', faulty)).toEqual(
      failure(
        `error: The server at ${faulty} is not the database of an "npm start" ` +
          '(ValidationException: a secret of the database). Choose another with ' +
          '--dynamodb-endpoint.\n',
      ),
    );
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
  const { stderr } = await runHere(program, `${command} ${target}`, { stdin });
  expect(stderr.replace(faulty, 'ENDPOINT')).toMatchSnapshot();
  expect(exits).toEqual([1]);
});

test('an import stops after a failed write, although its input stays open', async () => {
  proxy.play('lost', reset, pass);
  const stdin = new PassThrough();
  stdin.write(line(1, 'Aloe'));
  expect(await plants('import - --owner lost', stdin, faulty)).toEqual(
    failure(
      'error: The outcome of 1 write is unknown (read ECONNRESET). So far: 0 plants created, 0 ' +
        'unchanged. Repeat the command.\n',
    ),
  );
  expect(stdin.destroyed).toBe(true);
});

test.each([
  {
    title: 'a token is issued',
    owner: 'renewed',
    act: () => issue('renewed'),
    left: '1 access token and 0 plants',
  },
  {
    title: 'a plant is created',
    owner: 'planted',
    act: () => putPlant('planted', 2, 'Ficus'),
    left: '0 access tokens and 1 plant',
  },
])(
  'erase looks again at the end, and fails if $title while it runs',
  async ({ owner, act, left }) => {
    await issue(owner);
    await putPlant(owner, 1, 'Aloe');
    // The owner's plants are counted, listed and deleted.
    proxy.play(owner, pass, pass, passAfter(act), pass);
    expect(await plants(`erase --owner ${owner}`, `${owner}\n`, faulty)).toEqual(
      failure(
        `${owner} has 1 access token and 1 plant.\n` +
          `Type "${owner}" to erase them from ${faulty} permanently: ` +
          `error: Erased 1 access token and 1 plant of ${owner}, who has ${left} again. Repeat the command.\n`,
      ),
    );
    expect(await plants(`erase --owner ${owner}`, `${owner}\n`)).toMatchObject({ code: 0 });
  },
);
