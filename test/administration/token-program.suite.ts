import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
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
import { emptyTable, failure, mask, success } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';

const { endpoint, database } = await openDatabase();
const table = tableIds.accessTokens;

const local = (line: string, stdin: string | Buffer | Readable = '', env = {}) =>
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
  const now = Math.floor(Date.now() / 1000);
  // Whole days end a minute before, so that no second between here and the list matters.
  const ends = { A: day - 60, B: 2 * day - 60, C: 14 * day, D: 14 * day + 60 };
  const ending = { ...active, owner: 'ending' };
  const revoked = { ...ending, id: 'Revoked', expires: now + day, revoked: now };
  const items = Object.entries(ends).map(([id, rest]) => ({ ...ending, id, expires: now + rest }));
  for (const Item of [...items, revoked]) {
    await database.send(new PutCommand({ TableName: table, Item }));
  }
  const { stdout } = await local('list --owner ending');
  expect(stdout.match(/^\w+|\(.*\)/gm)).toEqual([
    'ID',
    ...['A', '(in less than a day)'],
    ...['B', '(in 1 day)'],
    ...['C', '(in 13 days)'],
    'D',
    'Revoked',
  ]);
});

test('revoke revokes a damaged record, and prints the damage', async () => {
  const { id, record } = await issue('damaged');
  const Item = { ...record, digest: 'short' };
  await database.send(new PutCommand({ TableName: table, Item }));
  expect(await local(`revoke ${id}`)).toEqual(
    success(
      `Revoked ${id}. The record of the access token ${id} is invalid: digest must be 32 bytes.`,
    ),
  );
});

test.each([
  { options: '', scopes: allScopes, overlap: hour, lifetime: 2_300_000_000 },
  // Without an overlap, the old token ends when the new one begins.
  { options: '--overlap 0s', scopes: allScopes, overlap: 0, lifetime: 2_300_000_000 },
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

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
test.each<[input: string, write: (token: string) => string | Buffer]>([
  ['a byte order mark', (token) => `\uFEFF${token}\r\n`],
  ['UTF-16 of PowerShell', (token) => utf16(`\uFEFF${token}\r\n`)],
  ['UTF-16 with the high byte first', (token) => utf16(`\uFEFF${token}`).swap16()],
  ['an Authorization header', (token) => `Authorization: Bearer ${token}\n`],
  ['JSON', (token) => `{"token":"${token}"}`],
  ['a token twice', (token) => `${token}\n${token}\n`],
])('revoke - finds the token in %s', async (_, write) => {
  const { id, token } = await issue('rita');
  const { code } = await local('revoke -', write(token));
  expect(code).toBe(0);
  expect(await find(id)).toHaveProperty('revoked');
});

test('revoke - at a terminal reads one line', async () => {
  const { id, token } = await issue('rita');
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  terminal.write(`${token}\n`);
  expect(await local('revoke -', terminal)).toMatchObject({ code: 0 });
  expect(await find(id)).toHaveProperty('revoked');
});

test('revoke - revokes nothing if standard input has two tokens', async () => {
  const tokens = [await issue('rita'), await issue('rita')];
  const input = tokens.map(({ token }) => token).join('\n');
  expect(await local('revoke -', input)).toEqual(
    failure(
      'error: Standard input has 2 access tokens. Give one of them, or its id in place of the -.',
    ),
  );
  for (const { id } of tokens) {
    expect(await find(id)).not.toHaveProperty('revoked');
  }
});

const ann = 'issue --owner ann';
const usage = 'Run it with --help for usage.';
const noLifetime = (text: string) =>
  `error: option '--expires-in <duration>' argument '${text}' is invalid. A lifetime looks like 15m, 12h or 90d, or is never.`;
const noOwner = (text: string) =>
  `error: option '--owner <name>' argument '${text}' is invalid. An owner is 1 to 128 letters, digits and . _ @ -. ${usage}`;
const notWithLocalhost = (option: string) =>
  `error: option '--localhost' cannot be used with option '${option}'. ${usage}`;
const noAddress = (text: string) =>
  `error: option '--dynamodb-endpoint <url>' argument '${text}' is invalid. An address looks like http://127.0.0.1:8000.`;

test.each([
  ['issue', `error: required option '--owner <name>' not specified. ${usage}`],
  [
    `${ann} --scope plants:all`,
    "error: option '--scope <scope...>' argument 'plants:all' is invalid. Allowed choices are plants:read, plants:write.",
  ],
  [`${ann} --expires-in 90days`, noLifetime('90days')],
  [`${ann} --expires-in 0d`, noLifetime('0d')],
  [`${ann} --expires-in 123456s`, noLifetime('123456s')],
  ["issue --owner 'ann '", noOwner('ann ')],
  ["list --owner 'ann '", noOwner('ann ')],
  [
    'issue --owner',
    "error: option '--owner <name>' argument '--localhost' is invalid. Add a value before --localhost.",
  ],
  ['isue --owner ann', "error: unknown command 'isue' (Did you mean issue?)"],
  ['revoke', `error: missing required argument 'id'. ${usage}`],
  ['revoke abcdefghijkl', 'error: There is no token abcdefghijkl. Run "list" to see the ids.'],
  [
    'rotate abcdefghijkl --overlap never',
    "error: option '--overlap <duration>' argument 'never' is invalid. An overlap looks like 0s, 15m or 12h.",
  ],
  ['list --stack PlantStore', notWithLocalhost('--stack <name>')],
  ['list --profile work', notWithLocalhost('--profile <name>')],
  ['list --region eu-west-1', notWithLocalhost('--region <name>')],
  ['list --dynamodb-endpoint localhost:8000', noAddress('localhost:8000')],
  ['list --dynamodb-endpoint xhttp://127.0.0.1:8000', noAddress('xhttp://127.0.0.1:8000')],
  ['list --dynamodb-endpoint http://', noAddress('http://')],
])('%s fails with one line', async (command, error) => {
  expect(await local(command)).toEqual(failure(error));
});

const secret = forge();
const mistyped = secret.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
test.each(['', mistyped, `${secret}x`, `x${secret}`, splitToken(secret).secret, 'abcdefghijkl'])(
  'an error does not repeat what standard input holds instead of a token: %#',
  async (stdin) => {
    expect(await local('revoke -', stdin)).toEqual(
      failure(
        'error: Standard input has no access token, or a mistyped one. Give the whole token, or its id in place of the -.',
      ),
    );
  },
);

// A token id with half a secret behind it, in several ways.
const halfSecret = `abcdefghijkl_${splitToken(secret).secret.slice(0, 20)}`;
test.each(['abc', 'abcdefghijk', 'abcdefghijklm', 'abcdefghijk-', "' abcdefghijkl'", halfSecret])(
  'an error does not repeat an argument that is no token id: %s',
  async (argument) => {
    const error =
      'error: This is not a token id. An id has 12 letters and digits. Run "list" to see the ids.';
    expect(await local(`revoke ${argument}`)).toEqual(failure(error));
    expect(await local(`rotate ${argument}`)).toEqual(failure(error));
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
    expect(await local(line)).toEqual(
      failure(
        'error: An argument looks like an access token. Other users can see arguments, and npm writes them to its log files, so revoke that token by its id. To give a whole token, use - in place of its id, and write the token to standard input.',
      ),
    );
  },
);

test('a program whose output is closed exits with 0 before it could print an error', async () => {
  const ended = await runHere(async () => {
    await tokenProgram();
    process.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await setImmediate();
    return 1;
  }, '--help');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
});

const consumed = (options: string) =>
  `error: npm consumed ${options}. Put "--", with its quotes, before the options: npm run -s token "--" …`;
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
    expect(await local('list --owner nobody', '', npm)).toEqual(failure(consumed('--json')));
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
  { npm: { npm_config_scope: 'true' }, options: '--scope' },
  { npm: { npm_config_label: '' }, options: '--label' },
  { npm: { npm_config_owner: 'ann', npm_config_json: 'true' }, options: '--owner, --json' },
])('$options that npm consumed fails with the command to run', async ({ npm, options }) => {
  const env = { npm_lifecycle_event: 'token', ...npm };
  expect(await local('list', '', env)).toEqual(failure(consumed(options)));
});
