import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { issueToken } from '../../bin/administration/access-tokens.ts';
import { demoToken } from '../../bin/administration/demo-token.ts';
import { announce, findRunning } from '../../bin/administration/running.ts';
import { findRecord } from '../../functions/access-tokens/record.ts';
import { digest, tokenId } from '../../functions/access-tokens/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { listen } from '../../lib/emulator/listen.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { openTables } from '../support/database/open-database.ts';
import { run, token, tokenProcess } from './command.ts';

const tokens = await openTables();

const local = (line: string, stdin?: string) =>
  token(`${line} --localhost --dynamodb-endpoint ${tokens.endpoint}`, {}, stdin);
const record = (id = '') => findRecord(tokens.database, tableIds.accessTokens, id);
const issue = (owner: string) => {
  const grant = { owner, scopes: allScopes, label: 'a note', expires: 4_000_000_000 };
  return issueToken(tokens.database, tableIds.accessTokens, grant, () => 1_700_000_000_000);
};
const failed = (message: string) => ({ code: 1, stdout: '', stderr: `error: ${message}\n` });
const day = 86_400;

test('issue prints the token alone on stdout, and words about it on stderr', async () => {
  const line = `run -s token -- issue --owner ann --dynamodb-endpoint ${tokens.endpoint}`;
  const { code, stdout, stderr } = await run('npm', line.split(' '));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^pst_\w{12}_\w{49}\n$/);
  const id = tokenId(stdout.trim());
  const words =
    `${id}: ${allScopes.join(' ')} for ann; ` +
    'expires: 20..-..-..T..:..:..Z. It cannot be shown again.\n$';
  expect(stderr).toMatch(new RegExp(words));
  expect(stderr).not.toContain(stdout.slice(17, 38));
  const stored = await record(id);
  expect(stored).toMatchObject({ owner: 'ann', scopes: allScopes, label: '' });
  expect(Buffer.from(stored?.digest ?? [])).toEqual(digest(stdout.trim()));
  expect((stored?.expires ?? 0) - (stored?.created ?? 0)).toBeCloseTo(90 * day, -1);
});

test.each([
  ['--expires-in 15m', { scopes: allScopes, label: '' }, 15 * 60],
  ['--expires-in 12h --scope plants:read', { scopes: ['plants:read'] }, 12 * 3600],
  [
    "--expires-in 30s --scope plants:write --scope plants:read --label 'the café’s laptop'",
    { label: 'the café’s laptop' },
    30,
  ],
  ['--expires-in never', {}, Number.POSITIVE_INFINITY],
])('issue --owner bob %s', async (options, expected, lifetime) => {
  const { code, stdout } = await local(`issue --owner bob ${options}`);
  expect(code).toBe(0);
  const stored = await record(tokenId(stdout.trim()));
  expect(stored).toMatchObject({ owner: 'bob', ...expected });
  // The program reads the clock twice, so a second may begin in between.
  const expires = stored?.expires ?? Number.POSITIVE_INFINITY;
  expect(expires - (stored?.created ?? 0)).toBeCloseTo(lifetime, -1);
});

test('list shows the tokens in a table or as JSON, and no secrets', async () => {
  const issued = await issue('lister');
  const revoked = await issue('lister');
  await local(`revoke ${revoked.id}`);
  const [first, second] = [issued.id, revoked.id].sort();
  const status = (id = '') => (id === issued.id ? 'active ' : 'revoked');
  const rest = (id = '') => `lister  all     ${status(id)}  2096-10-02T07:06Z  a note`;
  const header = 'ID            OWNER   SCOPES  STATUS   EXPIRES            LABEL\n';
  const table = await local('list --owner lister');
  const stdout = `${header}${first}  ${rest(first)}\n${second}  ${rest(second)}\n`;
  expect(table).toEqual({ code: 0, stderr: '', stdout });

  const json = await local('list --owner lister --json');
  const common = {
    owner: 'lister',
    scopes: allScopes,
    label: 'a note',
    created: '2023-11-14T22:13:20Z',
    expires: '2096-10-02T07:06:40Z',
    replacedBy: null,
  };
  const time = expect.stringMatching(/^20..-..-..T..:..:..Z$/);
  expect(JSON.parse(json.stdout)).toEqual(
    [
      { id: issued.id, ...common, status: 'active', revoked: null },
      { id: revoked.id, ...common, status: 'revoked', revoked: time },
    ].sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  for (const { token: secret, record } of [issued, revoked]) {
    const digest = Buffer.from(record.digest);
    const halves = [secret.slice(17, 38), secret.slice(38, 60)];
    for (const leak of [...halves, digest.toString('hex'), digest.toString('base64')])
      expect(table.stdout + json.stdout).not.toContain(leak);
  }
  const active = await local('list --owner lister --active');
  expect(active.stdout).toMatch(new RegExp(`^ID .*\\n${issued.id} .*\\n$`));
  expect((await local('list --json --owner nobody')).stdout).toBe('[]\n');
  expect((await local('list')).stdout).toContain(issued.id);
  await demoToken(tokens.endpoint, 'npm start');
  expect((await local('list --owner demo')).stdout).toMatch(/ demo .* npm start\n/);
});

test('list fits 80 columns, and cuts off labels for it', async () => {
  const owner = 'alice@example.com';
  await local(`issue --owner ${owner} --label 'the laptop that lies in the basement'`);
  const { stdout } = await local(`list --owner ${owner}`);
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(/ the .*…\n$/);
});

test('rotate prints the new token, and the old one works until the overlap ends', async () => {
  const old = await issue('rita');
  const line = `rotate ${old.id} --overlap 15m --expires-in 7d`;
  const { code, stdout, stderr } = await local(line);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^pst_\w{12}_\w{49}\n$/);
  const next = await record(tokenId(stdout.trim()));
  expect(next).toMatchObject({ owner: 'rita', scopes: allScopes, label: 'a note' });
  expect((next?.expires ?? 0) - (next?.created ?? 0)).toBeCloseTo(7 * day, -1);
  const now = Date.now() / 1000;
  const end = (await record(old.id))?.expires ?? 0;
  expect(Math.abs(end - now - 15 * 60)).toBeLessThan(30);
  const until = new Date(end * 1000).toISOString().replace('.000', '');
  expect(stderr).toContain(`It replaces ${old.id}, which works until ${until}.`);

  await local(`rotate ${next?.id}`);
  expect(Math.abs(((await record(next?.id))?.expires ?? 0) - now - 3600)).toBeLessThan(30);
});

test('revoke ends a token, and says for how long the gateway may accept it', async () => {
  const { id } = await issue('rob');
  const stderr =
    `Revoked ${id} of rob. API Gateway may accept it for up to 60 s more, or for as long as ` +
    'the setting authorizer-cache says.\n';
  expect(await local(`revoke ${id}`)).toEqual({ code: 0, stdout: '', stderr });
  expect((await record(id))?.revoked).toBeDefined();
});

const ann = 'issue --owner ann';
const lifetimes = 'A lifetime looks like 15m, 12h or 90d, or is never.';
test.each([
  ['issue', "required option '--owner <name>' not specified"],
  [
    "issue --owner 'a b'",
    'No token was issued: owner must be 1 to 128 letters, digits and . _ @ -.',
  ],
  [`${ann} --scope plants:all`, `Allowed choices are ${allScopes.join(', ')}.`],
  [`${ann} --expires-in 90`, lifetimes],
  [`${ann} --expires-in 0d`, lifetimes],
  [`${ann} --expires-in 1.5h`, lifetimes],
  [`${ann} bob`, "too many arguments for 'issue'"],
  [
    "issue --label 'for ann' --owner",
    "option '--owner <name>' argument '--localhost' is invalid. Put a value before --localhost.",
  ],
  [`${ann} --label --expires-in`, 'Put a value before --expires-in.'],
  ['isue --owner ann', "unknown command 'isue' (Did you mean issue?)"],
  ['list --jsn', "unknown option '--jsn' (Did you mean --json?)"],
  ['revoke', "missing required argument 'id'"],
  ['revoke abc', 'That is not a token id. An id has 12 letters and digits, as "list" shows it.'],
  ['revoke abcdefghijkl', 'There is no token abcdefghijkl.'],
  ['rotate abcdefghijkl --overlap never', 'An overlap looks like 0s, 15m or 12h.'],
  ['list --stack PlantStore', "option '--localhost' cannot be used with option '--stack <name>'"],
  ['list --dynamodb-endpoint localhost:8000', 'An address looks like http://127.0.0.1:8000.'],
])('%s is a mistake that gets one line', async (command, line) => {
  const { code, stdout, stderr } = await local(command);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: .*\n$/);
  expect(stderr).toContain(line);
});

test('revoke and rotate read a whole token from standard input', async () => {
  const { id, token: old } = await issue('ida');
  const rotated = await local('rotate -', `${old}\n`);
  expect(rotated.stderr).toContain(`It replaces ${id}, which works until`);
  const revoked = await local('revoke -', rotated.stdout);
  expect(revoked.stderr).toContain(`Revoked ${tokenId(rotated.stdout.trim())} of ida.`);
  expect((await record(tokenId(rotated.stdout.trim())))?.revoked).toBeDefined();
});

const secret = forge();
const mistyped = secret.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
test.each(['', '\n', mistyped, `${secret}x`, secret.slice(17), 'abcdefghijkl'])(
  'standard input is refused, and not repeated, if it is %j',
  async (stdin) => {
    for (const command of ['revoke -', 'rotate -'])
      expect(await local(command, stdin)).toEqual(
        failed('Standard input holds no access token, or a mistyped one.'),
      );
  },
);

test.each([
  `revoke ${secret}`,
  `revoke ${secret}x`,
  `rotate ${secret.slice(0, 50)}`,
  `revoke ${secret.slice(17)}`,
  `revoke ${secret.slice(17, 60)}`,
  `issue --owner ${secret}`,
  `issue --owner ${secret.slice(17)}`,
  `${ann} --label ${secret}`,
  `${ann} --label 'for ${secret.slice(17, 60)}'`,
  `${ann} --scope ${secret}`,
  `${ann} --expires-in ${secret}`,
  `list --${secret}`,
  `list --${secret.slice(17)}`,
  `list --dynamodb-endpoint ${secret}`,
  secret,
])('an argument with a token or its secret is refused and not repeated: %#', async (line) => {
  const message =
    'An argument looks like an access token. Other users can see arguments, and npm ' +
    'writes them to its log files, so revoke that token by its id. Where a command takes an ' +
    'id, it takes - too, and then reads the token from standard input.';
  expect(await local(line)).toEqual(failed(message));
});

test('--localhost finds the running npm start by itself', async () => {
  const cwd = temporaryFolder();
  const data = join(cwd, '.plant-store');
  mkdirSync(data);
  announce(data, { baseUrl: 'http://127.0.0.1:1/v1', dynamodbEndpoint: tokens.endpoint });
  const { stdout } = await tokenProcess('issue --owner found --localhost', {}, cwd);
  expect(await record(tokenId(stdout.trim()))).toMatchObject({ owner: 'found' });
});

test('options that npm took for its own are refused by their names, and no others', async () => {
  const npm = { npm_lifecycle_event: 'token', npm_config_scope: '@example' };
  const taken = { npm_config_localhost: 'true', npm_config_dynamodb_endpoint: 'true' };
  expect(await token('revoke abcdefghijkl', { ...npm, ...taken })).toEqual(
    failed(
      'npm took --localhost, --dynamodb-endpoint for its own. ' +
        'Repeat the command with "--" before its options: npm run -s token -- …',
    ),
  );
  const { stdout } = await token(`list --dynamodb-endpoint ${tokens.endpoint}`, npm);
  expect(stdout).toMatch(/^ID /);
});

test('an npm start is found from its announcement until its end, however it ends', async () => {
  const data = temporaryFolder();
  const file = join(data, 'running.json');
  const running = { baseUrl: 'http://127.0.0.1:3000/v1', dynamodbEndpoint: tokens.endpoint };
  expect(findRunning(data)).toBeUndefined();
  const announced = announce(data, running);
  expect(findRunning(data)).toEqual({ processId: process.pid, ...running });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await announced.stop();
  expect(findRunning(data)).toBeUndefined();
  expect(existsSync(file)).toBe(false);

  const { pid: processId } = spawnSync(process.execPath, ['--version']);
  writeFileSync(file, JSON.stringify({ processId, ...running }));
  expect(findRunning(data)).toBeUndefined();
});

test.each(['http://127.0.0.1:1', 'http://localhost:1'])(
  'if no npm start runs at %s, one line says so',
  async (endpoint) => {
    const message =
      `No database answers at ${endpoint}. Start it with "npm start", or choose another ` +
      'with --dynamodb-endpoint.';
    expect(await tokenProcess(`list --dynamodb-endpoint ${endpoint}`)).toEqual(failed(message));
  },
);

test('a server is recognised that is not the database of an npm start', async () => {
  const other = await openTables({ accessTokens: 'Others' });
  const nothing = createServer((_, response) =>
    response.writeHead(403).end('{"message":"Forbidden"}'),
  );
  const url = `http://127.0.0.1:${await listen(nothing, 0, '127.0.0.1')}`;
  for (const endpoint of [other.endpoint, url]) {
    const { code, stderr } = await token(`list --dynamodb-endpoint ${endpoint}`);
    expect(code).toBe(1);
    const line = `error: The server at ${endpoint} is not the database of an "npm start"`;
    expect(stderr).toMatch(new RegExp(`^${line} \\(.*\\)\\.\n$`));
  }
  nothing.close();
});

test.each(['issue --owner alice', 'list', 'revoke Zk3v9QeXb2Lr'])(
  '%s does nothing with an empty answer of the database',
  async (command) => {
    const empty = createServer((_, response) => response.end());
    finallyDo(() => empty.close().closeAllConnections());
    const endpoint = `http://127.0.0.1:${await listen(empty, 0, '127.0.0.1')}`;
    const { code, stdout, stderr } = await token(`${command} --dynamodb-endpoint ${endpoint}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('DynamoDB did not answer with a JSON object.');
  },
);
