import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { digestToken, findTokenId } from '../../functions/access-tokens/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { issueToken } from '../../lib/tokens/tokens.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/engine.ts';
import { emptyTable, mask } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';

const { endpoint, database } = await openDatabase();
const table = tableIds.accessTokens;

const local = (line: string, stdin: string | Buffer = '', env = {}) =>
  runHere(tokenProgram, `${line} --localhost --dynamodb-endpoint ${endpoint}`, { stdin, env });
const find = (id = '') => findRecord(database, table, id);
/** Returns the record of the token on stdout. */
const findIssued = ({ stdout }: { stdout: string }) => find(findTokenId(stdout.trim()));
const issue = (owner: string, scopes: readonly string[] = allScopes) =>
  issueToken(database, table, { owner, scopes, label: '', lifetime: 2_300_000_000 });
const formatTime = (seconds = 0) => new Date(seconds * 1000).toISOString().replace('.000', '');
const hour = 3600;
const day = 24 * hour;

test('issue prints the token alone on stdout, and its details on stderr', async () => {
  const ended = await local('issue --owner ann');
  const stored = await findIssued(ended);
  const defaults = { owner: 'ann', scopes: allScopes, label: '', lifetime: 90 * day };
  expect(stored).toMatchObject(defaults);
  expect(Buffer.from(stored?.digest ?? [])).toEqual(digestToken(ended.stdout.trim()));
  const values = { STORED_ID: `${stored?.id}`, STORED_END: formatTime(stored?.expires) };
  expect(mask(ended, values)).toMatchSnapshot();
});

test.each([
  { options: '--expires-in 15m', lifetime: hour / 4 },
  { options: '--expires-in 99999d', lifetime: 99_999 * day },
  { options: `--label ${'x'.repeat(100)}`, label: 'x'.repeat(100) },
  { options: '--expires-in 12h --scope plants:read', scopes: ['plants:read'], lifetime: 12 * hour },
  {
    options: "--expires-in 30s --label 'the café’s laptop'",
    label: 'the café’s laptop',
    lifetime: 30,
  },
  { options: '--expires-in never --scope plants:write --scope plants:read', lifetime: 'never' },
])('issue --owner bob $options issues such a token', async ({ options, ...expected }) => {
  const stored = await findIssued(await local(`issue --owner bob ${options}`));
  expect(stored).toMatchObject({ owner: 'bob', ...expected });
});

// An escape sequence, a C1 control, DEL and a bidi control.
const obeyed = '\u001b[2J\u009b2J\u007f\u202e';

const active = {
  digest: new Uint8Array(32),
  owner: 'ann',
  scopes: allScopes,
  label: 'a note',
  created: 1_700_000_000,
  lifetime: 2_300_000_000,
  expires: 4_000_000_000,
};
const { expires: _, ...endless } = active;
/** A record of each kind. The list is in order of ids, but damaged records come last. */
const records: Record<string, unknown>[] = [
  { ...active, id: 'Active' },
  { ...active, id: 'ActiveOfBob', owner: 'bob', scopes: ['plants:read'] },
  { ...active, id: 'BidiLabel', label: '\u202e👩‍🌾 her laptop' },
  { ...endless, id: 'Endless', lifetime: 'never' },
  { ...active, id: 'Expired', lifetime: 1, expires: 1_700_000_001 },
  { ...active, id: 'ObeyedScope', scopes: ['plants:read', obeyed] },
  { ...active, id: 'Revoked', revoked: 1_700_000_500 },
  { ...active, id: 'UnknownScope', scopes: [...allScopes, 'gardens:read'] },
  { ...active, id: 'LongLabel', label: 'x'.repeat(150) },
  { ...active, id: 'ShortDigest', digest: 'short' },
  { id: `id ${obeyed}`, owner: `owner ${obeyed}` },
];
const listed = await openDatabase();
for (const Item of records) {
  await listed.database.send(new PutCommand({ TableName: table, Item }));
}
const list = (options: string) =>
  runHere(tokenProgram, `list ${options} --dynamodb-endpoint ${listed.endpoint}`);

test.each(['', '--active', '--json', '--json --active', '--owner ann', '--json --owner nobody'])(
  'list %s shows records of each kind, and escapes what a terminal would execute',
  async (options) => {
    expect(await list(options)).toMatchSnapshot();
  },
);

test('list marks active tokens that end within 14 days', async () => {
  const { endpoint, database } = await openDatabase();
  const now = Math.floor(Date.now() / 1000);
  // Whole days end a minute before, so that no second between here and the list matters.
  const ends = {
    A: 60,
    B: day - 60,
    C: 2 * day - 60,
    D: 10 * day - 60,
    E: 14 * day,
    F: 14 * day + 60,
  };
  for (const [id, rest] of Object.entries(ends)) {
    const Item = { ...active, id, expires: now + rest };
    await database.send(new PutCommand({ TableName: table, Item }));
  }
  const revoked = { ...active, id: 'Revoked', expires: now + day, revoked: now };
  await database.send(new PutCommand({ TableName: table, Item: revoked }));
  const { stdout } = await runHere(tokenProgram, `list --dynamodb-endpoint ${endpoint}`);
  const marks = stdout.match(/^\w+|\(.*\)/gm);
  expect(marks).toEqual([
    'ID',
    ...['A', '(in less than a day)'],
    ...['B', '(in less than a day)'],
    ...['C', '(in 1 day)'],
    ...['D', '(in 9 days)'],
    ...['E', '(in 13 days)'],
    'F',
    'Revoked',
  ]);
  const { stdout: json } = await runHere(
    tokenProgram,
    `list --json --dynamodb-endpoint ${endpoint}`,
  );
  expect(json).not.toMatch(/\(/);
});

test('list --json shows escaped labels and scopes as JSON', async () => {
  const { stdout } = await list('--json --owner ann');
  const [, { label }, , , { scopes }] = JSON.parse(stdout);
  expect({ label, scopes }).toEqual({
    label: '\u202e👩‍🌾 her laptop',
    scopes: ['plants:read', obeyed],
  });
});

test('revoke revokes a damaged record, and prints the damage', async () => {
  const { id, record } = await issue('damaged');
  const Item = { ...record, digest: 'short' };
  await database.send(new PutCommand({ TableName: table, Item }));
  expect(mask(await local(`revoke ${id}`), { DAMAGED: id })).toMatchSnapshot();
});

test.each([
  { options: '', scopes: allScopes, overlap: hour, lifetime: 2_300_000_000 },
  {
    options: '--overlap 15m --expires-in 7d',
    scopes: ['plants:read', obeyed],
    overlap: hour / 4,
    lifetime: 7 * day,
  },
])('rotate ID $options prints a new token and the end of the old one', async (row) => {
  const old = await issue('rita', row.scopes);
  const ended = await local(`rotate ${old.id} ${row.options}`);
  const next = await findIssued(ended);
  expect(next).toMatchObject({ owner: 'rita', scopes: row.scopes, lifetime: row.lifetime });
  const end = Number(next?.created) + row.overlap;
  expect(await find(old.id)).toMatchObject({ expires: end });
  const values = {
    NEXT_ID: `${next?.id}`,
    NEXT_END: formatTime(next?.expires),
    OLD_ID: old.id,
    OLD_END: formatTime(end),
  };
  expect(mask(ended, values)).toMatchSnapshot();
});

test('rotate - reads what issue and rotate print', async () => {
  const old = await local('issue --owner rita');
  const next = await findIssued(await local('rotate -', old.stdout));
  expect(next).toMatchObject({ owner: 'rita' });
});

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
test.each<[input: string, write: (token: string) => string | Buffer]>([
  ['a byte order mark', (token) => `\uFEFF${token}\r\n`],
  ['UTF-16 of PowerShell', (token) => utf16(`\uFEFF${token}\r\n`)],
  ['UTF-16 with the high byte first', (token) => utf16(`\uFEFF${token}`).swap16()],
  ['an Authorization header', (token) => `Authorization: Bearer ${token}\n`],
  ['a variable', (token) => `export TOKEN=${token}\n`],
  ['JSON', (token) => `{"token":"${token}"}`],
  ['quotes', (token) => `'${token}'\n`],
  ['an empty first line', (token) => `\n\n${token}\n`],
  ['a token twice', (token) => `${token}\n${token}\n`],
  [
    'the lines of npm',
    (token) =>
      `\n> plant-store@1.0.0 token\n> node bin/node24.mjs bin/token.ts issue\n\n${token}\n`,
  ],
])('revoke - finds the token in %s', async (_, write) => {
  const { id, token } = await issue('rita');
  const { code } = await local('revoke -', write(token));
  expect(code).toBe(0);
  expect(await find(id)).toHaveProperty('revoked');
});

test('revoke - revokes nothing if standard input has two tokens', async () => {
  const tokens = [await issue('rita'), await issue('rita')];
  const input = tokens.map(({ token }) => token).join('\n');
  expect(await local('revoke -', input)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: Standard input has 2 access tokens. Give one of them, or its id in place of the -.\n',
  });
  for (const { id } of tokens) {
    expect(await find(id)).not.toHaveProperty('revoked');
  }
});

const ann = 'issue --owner ann';
test.each([
  'issue',
  `${ann} --scope plants:all`,
  `${ann} --expires-in 90`,
  `${ann} --expires-in 90days`,
  `${ann} --expires-in 0d`,
  `${ann} --expires-in 1.5h`,
  `${ann} --expires-in 123456s`,
  `${ann} --label ${'x'.repeat(101)}`,
  "issue --owner 'ann '",
  "list --owner 'ann '",
  "list --owner ''",
  `${ann} bob`,
  'issue --owner',
  'isue --owner ann',
  'revoke',
  'revoke abc',
  'revoke abcdefghijkl',
  'rotate abcdefghijkl',
  'rotate abcdefghijkl --overlap never',
  'list --stack PlantStore',
  'list --profile work',
  'list --region eu-west-1',
  'list --dynamodb-endpoint localhost:8000',
  'list --dynamodb-endpoint xhttp://127.0.0.1:8000',
  'list --dynamodb-endpoint http://',
])('%s fails with one line', async (command) => {
  expect(await local(command)).toMatchSnapshot();
});

const secret = forge();
const mistyped = secret.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
test.each(['', '\n', mistyped, `${secret}x`, splitToken(secret).secret, 'abcdefghijkl'])(
  'an error does not repeat what standard input holds instead of a token: %#',
  async (stdin) => {
    expect(await local('revoke -', stdin)).toMatchSnapshot();
  },
);

test.each([
  secret,
  `revoke ${secret}`,
  `rotate ${secret.slice(0, 50)}`,
  `issue --owner ${splitToken(secret).secret}`,
  `${ann} --label 'for (${splitToken(secret).secret.slice(0, 43)})'`,
  `${ann} --label 'for ${secret}x'`,
  `list --${secret}`,
  `list --dynamodb-endpoint=${secret}`,
])(
  'an argument with a token or its secret fails, and the error does not repeat it: %#',
  async (line) => {
    expect(await local(line)).toMatchSnapshot();
  },
);

test('a program whose output is closed exits with 0 before it could print an error', async () => {
  const exits: unknown[] = [];
  await runHere(async () => {
    jest.spyOn(process, 'exit').mockImplementation((code) => exits.push(code) as never);
    const code = await tokenProgram();
    process.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await setImmediate();
    return code;
  }, '--help');
  // Here the program goes on, because `exit` returns.
  expect(exits.slice(0, 1)).toEqual([undefined]);
});

test.each([
  ['its user', 'npm_config_userconfig'],
  ['the machine', 'npm_config_globalconfig'],
  ['the project', ''],
])('an option that npm’s file of %s sets was not typed', async (_, variable) => {
  const folder = temporaryFolder();
  process.chdir(folder);
  try {
    const file = join(folder, '.npmrc');
    const npm = { npm_lifecycle_event: 'token', npm_config_json: 'true', [variable]: file };
    expect(await local('list --owner nobody', '', npm)).toMatchSnapshot();
    writeFileSync(file, 'jsonp=1\n json = true\n');
    const listed = await local('list --owner nobody', '', npm);
    expect(listed).toEqual({ code: 0, stdout: emptyTable, stderr: '' });
  } finally {
    process.chdir(root);
  }
});

test.each([
  { npm_config_scope: '@example' },
  { npm_config_owner: 'ann' },
  { npm_config_json: 'true', npm_lifecycle_event: 'another script' },
])('npm’s setting %j is no option that npm consumed', async (settings) => {
  const npm = { npm_lifecycle_event: 'token', ...settings };
  const listed = await local('list --owner=nobody', '', npm);
  expect(listed).toEqual({ code: 0, stdout: emptyTable, stderr: '' });
});

test.each([
  { options: 'a scope without its value', npm: { npm_config_scope: 'true' } },
  { options: 'two options', npm: { npm_config_owner: 'ann', npm_config_json: 'true' } },
])('$options that npm consumed is an error with the command to run', async ({ npm }) => {
  const env = { npm_lifecycle_event: 'token', ...npm };
  expect(await local('list', '', env)).toMatchSnapshot();
});
