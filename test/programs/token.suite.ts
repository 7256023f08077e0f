import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { issueToken } from '../../functions/access-tokens/administration.ts';
import type { AccessTokenRecord } from '../../functions/access-tokens/record.ts';
import { digestToken, parseTokenId } from '../../functions/access-tokens/token.ts';
import { allScopes, type Scope } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/engine.ts';
import { emptyTable } from './printed.ts';
import { runHere } from './run.ts';

const tokens = await openDatabase();

const local = (line: string, stdin = '', env = {}) =>
  runHere(tokenProgram, `${line} --localhost --dynamodb-endpoint ${tokens.endpoint}`, {
    stdin,
    env,
  });
const record = (id = '') => findRecord(tokens.database, tableIds.accessTokens, id);
const issue = (owner: string, label = 'a note', lifetime: number | 'never' = 2_300_000_000) => {
  const newToken = { owner, scopes: allScopes, label, lifetime };
  return issueToken(tokens.database, tableIds.accessTokens, newToken, () => 1_700_000_000_000);
};
const putItem = (Item: object) =>
  tokens.database.send(new PutCommand({ TableName: tableIds.accessTokens, Item: { ...Item } }));
const describeFailure = (message: string) => ({
  code: 1,
  stdout: '',
  stderr: `error: ${message}\n`,
});
const formatTime = (seconds = 0) => new Date(seconds * 1000).toISOString().replace('.000', '');
/** Returns the line on stderr about a new token with both scopes. */
const describeToken = (stored: AccessTokenRecord | undefined) =>
  `${stored?.id}: plants:read plants:write for ${stored?.owner}; ` +
  `expires: ${formatTime(stored?.expires)}. It cannot be shown again.\n`;
const wholeToken = /^pst_\w{12}_\w{49}\n$/;
const hour = 3600;

test('issue prints the token alone on stdout, and its details on stderr', async () => {
  const { code, stdout, stderr } = await local('issue --owner ann');
  expect(code).toBe(0);
  expect(stdout).toMatch(wholeToken);
  const stored = await record(parseTokenId(stdout.trim()));
  expect(stderr).toBe(describeToken(stored));
  expect(Buffer.from(stored?.digest ?? [])).toEqual(digestToken(stdout.trim()));
});

const day = 24 * hour;
interface Issue {
  options: string;
  scopes?: readonly Scope[];
  label?: string;
  lifetime: number | 'never';
}
test.each<Issue>([
  { options: '', scopes: allScopes, label: '', lifetime: 90 * day },
  { options: '--expires-in 15m', lifetime: hour / 4 },
  {
    options: `--expires-in 99999d --label ${'x'.repeat(100)}`,
    label: 'x'.repeat(100),
    lifetime: 99_999 * day,
  },
  { options: '--expires-in 12h --scope plants:read', scopes: ['plants:read'], lifetime: 12 * hour },
  {
    options: "--expires-in 30s --label 'the café’s laptop'",
    label: 'the café’s laptop',
    lifetime: 30,
  },
  { options: '--expires-in never --scope plants:write --scope plants:read', lifetime: 'never' },
])('issue --owner bob $options issues such a token', async ({ options, ...expected }) => {
  const { stdout } = await local(`issue --owner bob ${options}`);
  const stored = await record(parseTokenId(stdout.trim()));
  expect(stored).toMatchObject({ owner: 'bob', ...expected });
});

/** Gives an owner an active and a revoked token. Returns them in the order of a list. */
async function issueTwo(owner: string) {
  const active = { ...(await issue(owner)), status: 'active' };
  const revoked = { ...(await issue(owner)), status: 'revoked' };
  await local(`revoke ${revoked.id}`);
  const sorted = [active, revoked].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { active, sorted };
}

test('list shows the tokens in a table', async () => {
  const { sorted } = await issueTwo('tables');
  const header = 'ID            OWNER   SCOPES  STATUS   EXPIRES            LABEL\n';
  const lines = sorted.map(
    ({ id, status }) => `${id}  tables  all     ${status.padEnd(7)}  2096-10-02T07:06Z  a note\n`,
  );
  const stdout = header + lines.join('');
  expect(await local('list --owner tables')).toEqual({ code: 0, stderr: '', stdout });
});

test('list --json shows the tokens as JSON', async () => {
  const { sorted } = await issueTwo('json');
  const { stdout } = await local('list --owner json --json');
  const revocation = expect.stringMatching(/^20..-..-..T..:..:..Z$/);
  expect(JSON.parse(stdout)).toEqual(
    sorted.map(({ id, status }) => ({
      id,
      owner: 'json',
      scopes: allScopes,
      label: 'a note',
      status,
      created: '2023-11-14T22:13:20Z',
      expires: '2096-10-02T07:06:40Z',
      revoked: status === 'revoked' ? revocation : null,
    })),
  );
});

test('list --active leaves out a revoked and an expired token', async () => {
  const { active } = await issueTwo('choosy');
  await issue('choosy', 'a note', 1);
  expect(await local('list --owner choosy --active')).toEqual({
    code: 0,
    stdout:
      'ID            OWNER   SCOPES  STATUS  EXPIRES            LABEL\n' +
      `${active.id}  choosy  all     active  2096-10-02T07:06Z  a note\n`,
    stderr: '',
  });
});

test('list --json shows an empty list for an owner without tokens', async () => {
  const listed = await local('list --json --owner nobody');
  expect(listed).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});

test('list escapes a bidi control in a label, and nothing else', async () => {
  const { id } = await issue('labels', '\u202e👩‍🌾 her laptop');
  const { stdout } = await local('list --owner labels');
  expect(stdout).toBe(
    'ID            OWNER   SCOPES  STATUS  EXPIRES            LABEL\n' +
      `${id}  labels  all     active  2096-10-02T07:06Z  \\u202e👩‍🌾 her laptop\n`,
  );
});

test('list shows a scope that this version does not know, and a token that never expires', async () => {
  const { id, record } = await issue('rolled-back', 'a note', 'never');
  const scopes = ['plants:read', 'plants:write', 'gardens:read'];
  await putItem({ ...record, scopes });
  const { stdout } = await local('list --owner rolled-back');
  expect(stdout).toBe(
    'ID            OWNER        SCOPES                                 STATUS  EXPIRES  LABEL\n' +
      `${id}  rolled-back  plants:read plants:write gardens:read  active  never    a note\n`,
  );
});

test('list shows a token whose label is too long as active, with its fault', async () => {
  const { id, record } = await issue('wordy');
  await putItem({ ...record, label: 'x'.repeat(150) });
  const stderr =
    `The record of the access token ${id} is invalid: label must be at most 100 characters ` +
    'without control characters.\n';
  const table =
    'ID            OWNER  SCOPES  STATUS  EXPIRES            LABEL\n' +
    `${id}  wordy  all     active  2096-10-02T07:06Z\n`;
  const outcome = await local('list --owner wordy --active');
  expect(outcome).toEqual({ code: 0, stdout: table, stderr });
  const { stdout } = await local('list --owner wordy --json --active');
  expect(JSON.parse(stdout)).toEqual([
    {
      id,
      owner: 'wordy',
      scopes: allScopes,
      status: 'active',
      created: null,
      expires: '2096-10-02T07:06:40Z',
      revoked: null,
      fault: stderr.trim(),
    },
  ]);
});

/** Issues a token and damages its record. */
async function issueDamaged(owner: string) {
  const { id, record } = await issue(owner);
  await putItem({ ...record, digest: 'short' });
  return { id, fault: `The record of the access token ${id} is invalid: digest must be 32 bytes.` };
}

test('list shows a damaged record after the others', async () => {
  const { id } = await issue('mixed');
  const { id: damaged, fault } = await issueDamaged('mixed');
  const stdout =
    'ID            OWNER  SCOPES  STATUS      EXPIRES            LABEL\n' +
    `${id}  mixed  all     active      2096-10-02T07:06Z  a note\n` +
    `${damaged}  mixed          unreadable\n`;
  expect(await local('list --owner mixed')).toEqual({ code: 0, stdout, stderr: `${fault}\n` });
  const json = JSON.parse((await local('list --owner mixed --json')).stdout);
  expect(json[1]).toEqual({ id: damaged, owner: 'mixed', status: 'unreadable', fault });
  expect(await local('list --owner mixed --active')).toEqual({
    code: 0,
    stdout:
      'ID            OWNER  SCOPES  STATUS  EXPIRES            LABEL\n' +
      `${id}  mixed  all     active  2096-10-02T07:06Z  a note\n`,
    stderr: '',
  });
});

// An escape sequence, a C1 control, DEL and a bidi control.
const obeyed = '\u001b[2J\u009b2J\u007f\u202e';

test.each(['', '--json'])(
  'list %s escapes control characters in a damaged record',
  async (option) => {
    const { endpoint, database } = await openDatabase();
    const Item = { id: `id ${obeyed}`, owner: `owner ${obeyed}` };
    await database.send(new PutCommand({ TableName: tableIds.accessTokens, Item }));
    const line = `list ${option} --dynamodb-endpoint ${endpoint}`;
    const listed = await runHere(tokenProgram, line);
    expect(listed).toMatchSnapshot();
  },
);

test('list --json escapes control characters in a label and a scope', async () => {
  const { id, record } = await issue('escaper', '\u202e her laptop');
  await putItem({ ...record, scopes: ['plants:read', obeyed] });
  const { stdout } = await local('list --owner escaper --json');
  expect(stdout.replace(id, 'ID')).toMatchSnapshot();
  expect(JSON.parse(stdout)).toMatchObject([
    { label: '\u202e her laptop', scopes: ['plants:read', obeyed] },
  ]);
});

test('rotate escapes control characters in a scope', async () => {
  const old = await issue('rotator');
  const scopes = ['plants:read', obeyed];
  await putItem({ ...old.record, scopes });
  const { stdout, stderr } = await local(`rotate ${old.id}`);
  const next = await record(parseTokenId(stdout.trim()));
  expect(next).toMatchObject({ scopes });
  const [line] = stderr.split('\n');
  expect(line).toBe(
    `${next?.id}: plants:read \\u001b[2J\\u009b2J\\u007f\\u202e for rotator; ` +
      `expires: ${formatTime(next?.expires)}. It cannot be shown again.`,
  );
});

test('revoke revokes a damaged record, and prints the damage', async () => {
  const { id, fault } = await issueDamaged('damaged');
  const revoked = await local(`revoke ${id}`);
  expect(revoked).toEqual({ code: 0, stdout: '', stderr: `Revoked ${id}. ${fault}\n` });
});

test.each([
  { options: '', overlap: hour, lifetime: 2_300_000_000 },
  { options: '--overlap 15m --expires-in 7d', overlap: hour / 4, lifetime: 7 * day },
])('rotate ID $options shows a new token and the end of the old one', async (row) => {
  const old = await issue('rita');
  const { code, stdout, stderr } = await local(`rotate ${old.id} ${row.options}`);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(wholeToken) });
  const next = await record(parseTokenId(stdout.trim()));
  expect(next).toMatchObject({ owner: 'rita', scopes: allScopes, lifetime: row.lifetime });
  const end = Number(next?.created) + row.overlap;
  expect(await record(old.id)).toMatchObject({ expires: end });
  const replaced = `It replaces ${old.id}, which works until ${formatTime(end)}.\n`;
  expect(stderr).toBe(describeToken(next) + replaced);
});

const revokedOfRita = (id: string) => ({
  code: 0,
  stdout: '',
  stderr:
    `Revoked ${id} of rita. API Gateway may accept it for up to 60 s more, or for as long as ` +
    'the setting authorizer-cache says.\n',
});

test('revoke ID revokes the token', async () => {
  const { id } = await issue('rita');
  expect(await local(`revoke ${id}`)).toEqual(revokedOfRita(id));
  expect((await record(id))?.revoked).toBeDefined();
});

test('rotate - and revoke - read a whole token, even after a byte order mark', async () => {
  const old = await issue('rita');
  const { stdout } = await local('rotate -', `\uFEFF${old.token}\r\n`);
  const id = parseTokenId(stdout.trim()) ?? '';
  expect(await record(id)).toMatchObject({ owner: 'rita' });
  expect(await local('revoke -', stdout)).toEqual(revokedOfRita(id));
  expect((await record(id))?.revoked).toBeDefined();
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
  'an error does not repeat what standard input holds instead of a token: %j',
  async (stdin) => {
    const message =
      'Standard input has no access token, or a mistyped one. Give the whole token, or its id ' +
      'in place of the -.';
    expect(await local('revoke -', stdin)).toEqual(describeFailure(message));
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
    const message =
      'An argument looks like an access token. Other users can see arguments, and npm ' +
      'writes them to its log files, so revoke that token by its id. To give a whole token, use - ' +
      'in place of its id, and write the token to standard input.';
    expect(await local(line)).toEqual(describeFailure(message));
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

const describeConsumed = (option: string) =>
  describeFailure(
    `npm consumed ${option}. Put "--", with its quotes, before the options: npm run -s token "--" …`,
  );

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
    expect(await local('list --owner nobody', '', npm)).toEqual(describeConsumed('--json'));
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

test('npm consumes a scope without its value', async () => {
  const npm = { npm_lifecycle_event: 'token', npm_config_scope: 'true' };
  expect(await local('issue --owner nobody', '', npm)).toEqual(describeConsumed('--scope'));
});
