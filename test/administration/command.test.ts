import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { issueToken } from '../../bin/administration/access-tokens.ts';
import { announce, findRunning } from '../../bin/command-line/running.ts';
import { demoToken } from '../../bin/offline/local-database.ts';
import { findRecord } from '../../functions/access-tokens/record.ts';
import { digest, tokenId } from '../../functions/access-tokens/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openTables } from '../support/database/open-database.ts';
import { serve } from '../support/http/servers.ts';
import { token, tokenProcess } from './command.ts';

const tokens = await openTables();

const local = (line: string, stdin?: string) =>
  token(`${line} --localhost --dynamodb-endpoint ${tokens.endpoint}`, {}, stdin);
const record = (id = '') => findRecord(tokens.database, tableIds.accessTokens, id);
const issue = (owner: string) => {
  const grant = { owner, scopes: allScopes, label: 'a note', expires: 4_000_000_000 };
  return issueToken(tokens.database, tableIds.accessTokens, grant, () => 1_700_000_000_000);
};
const failed = (message: string) => ({ code: 1, stdout: '', stderr: `error: ${message}\n` });
/** Returns for how many seconds a token works. */
const lifetimeOf = ({ created = 0, expires = Number.POSITIVE_INFINITY } = {}) => expires - created;
const hour = 3600;

test('issue prints the token alone on stdout, and words about it on stderr', async () => {
  const { code, stdout, stderr } = await local('issue --owner ann');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^pst_\w{12}_\w{49}\n$/);
  const id = tokenId(stdout.trim());
  const words =
    `${id}: ${allScopes.join(' ')} for ann; ` +
    'expires: 20..-..-..T..:..:..Z. It cannot be shown again.\n$';
  expect(stderr).toMatch(new RegExp(words));
  expect(stderr).not.toContain(stdout.slice(17, 38));
  expect(Buffer.from((await record(id))?.digest ?? [])).toEqual(digest(stdout.trim()));
});

test.each([
  ['', { scopes: allScopes, label: '' }, 90 * 24 * hour],
  ['--expires-in 15m', {}, hour / 4],
  ['--expires-in 12h --scope plants:read', { scopes: ['plants:read'] }, 12 * hour],
  ["--expires-in 30s --label 'the café’s laptop'", { label: 'the café’s laptop' }, 30],
  ['--expires-in never --scope plants:write --scope plants:read', {}, Number.POSITIVE_INFINITY],
])('issue --owner bob %s', async (options, expected, lifetime) => {
  const { stdout } = await local(`issue --owner bob ${options}`);
  const stored = await record(tokenId(stdout.trim()));
  expect(stored).toMatchObject({ owner: 'bob', ...expected });
  // The program reads the clock twice, so a second may begin in between.
  expect(lifetimeOf(stored)).toBeCloseTo(lifetime, -1);
});

test('list shows the tokens in a table or as JSON, and no secrets', async () => {
  const issued = await issue('lister');
  const revoked = await issue('lister');
  await local(`revoke ${revoked.id}`);
  const rows = [issued, revoked].sort((a, b) => (a.id < b.id ? -1 : 1));
  const table = await local('list --owner lister');
  const lines = rows.map(
    (one) =>
      `${one.id}  lister  all     ${one === issued ? 'active ' : 'revoked'}  ` +
      '2096-10-02T07:06Z  a note\n',
  );
  const header = 'ID            OWNER   SCOPES  STATUS   EXPIRES            LABEL\n';
  expect(table).toEqual({ code: 0, stderr: '', stdout: header + lines.join('') });

  const json = await local('list --owner lister --json');
  const time = expect.stringMatching(/^20..-..-..T..:..:..Z$/);
  expect(JSON.parse(json.stdout)).toEqual(
    rows.map((one) => ({
      id: one.id,
      owner: 'lister',
      scopes: allScopes,
      label: 'a note',
      status: one === issued ? 'active' : 'revoked',
      created: '2023-11-14T22:13:20Z',
      expires: '2096-10-02T07:06:40Z',
      revoked: one === issued ? null : time,
      replacedBy: null,
    })),
  );
  for (const { token: secret, record } of rows) {
    const digest = Buffer.from(record.digest);
    const halves = [secret.slice(17, 38), secret.slice(38, 60)];
    for (const leak of [...halves, digest.toString('hex'), digest.toString('base64')])
      expect(table.stdout + json.stdout).not.toContain(leak);
  }
  const active = await local('list --owner lister --active');
  expect(active.stdout).toMatch(new RegExp(`^ID .*\\n${issued.id} .*\\n$`));
  expect((await local('list --json --owner nobody')).stdout).toBe('[]\n');
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

test.each([
  ['its id', '', '', hour, 90 * 24 * hour],
  ['itself on standard input', '', '-', hour, 90 * 24 * hour],
  ['its id, with durations', '--overlap 15m --expires-in 7d', '', hour / 4, 7 * 24 * hour],
])('rotate and revoke take a token by %s', async (_, options, dash, overlap, lifetime) => {
  const old = await issue('rita');
  const rotated = await local(`rotate ${dash || old.id} ${options}`, `${old.token}\n`);
  expect(rotated.stdout).toMatch(/^pst_\w{12}_\w{49}\n$/);
  const id = tokenId(rotated.stdout.trim());
  const next = await record(id);
  expect(next).toMatchObject({ owner: 'rita', scopes: allScopes, label: 'a note' });
  expect(lifetimeOf(next)).toBeCloseTo(lifetime, -1);
  const { expires = 0 } = (await record(old.id)) ?? {};
  expect(Math.abs(expires - (next?.created ?? 0) - overlap)).toBeLessThan(30);
  const until = new Date(expires * 1000).toISOString().replace('.000', '');
  expect(rotated.stderr).toContain(`It replaces ${old.id}, which works until ${until}.`);

  const stderr =
    `Revoked ${id} of rita. API Gateway may accept it for up to 60 s more, or for as long as ` +
    'the setting authorizer-cache says.\n';
  const revoked = await local(`revoke ${dash || id}`, rotated.stdout);
  expect(revoked).toEqual({ code: 0, stdout: '', stderr });
  expect((await record(id))?.revoked).toBeDefined();
});

const ann = 'issue --owner ann';
const lifetimes = 'A lifetime looks like 15m, 12h or 90d, or is never.';
test.each([
  ['issue', "required option '--owner <name>' not specified"],
  [`${ann} --scope plants:all`, `Allowed choices are ${allScopes.join(', ')}.`],
  [`${ann} --expires-in 90`, lifetimes],
  [`${ann} --expires-in 0d`, lifetimes],
  [`${ann} --expires-in 1.5h`, lifetimes],
  [`${ann} bob`, "too many arguments for 'issue'"],
  ['issue --owner', "argument '--localhost' is invalid. Put a value before --localhost."],
  ['isue --owner ann', "unknown command 'isue' (Did you mean issue?)"],
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

const secret = forge();
const mistyped = secret.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
test.each(['', '\n', mistyped, `${secret}x`, secret.slice(17), 'abcdefghijkl'])(
  'standard input is refused, and not repeated, if it is %j',
  async (stdin) => {
    const message = 'Standard input holds no access token, or a mistyped one.';
    expect(await local('revoke -', stdin)).toEqual(failed(message));
  },
);

test.each([
  secret,
  `revoke ${secret}`,
  `rotate ${secret.slice(0, 50)}`,
  `issue --owner ${secret.slice(17)}`,
  `${ann} --label 'for (${secret.slice(17, 60)})'`,
  `${ann} --label 'for ${secret}x'`,
  `list --${secret}`,
  `list --dynamodb-endpoint=${secret}`,
])('an argument with a token or its secret is refused and not repeated: %#', async (line) => {
  const message =
    'An argument looks like an access token. Other users can see arguments, and npm ' +
    'writes them to its log files, so revoke that token by its id. Where a command takes an ' +
    'id, it takes - too, and then reads the token from standard input.';
  expect(await local(line)).toEqual(failed(message));
});

test('a setting of npm is not taken for an option that npm took', async () => {
  const npm = { npm_lifecycle_event: 'token', npm_config_scope: '@example' };
  const { stdout } = await token(`list --dynamodb-endpoint ${tokens.endpoint}`, npm);
  expect(stdout).toMatch(/^ID /);
});

test('--localhost finds an npm start from its announcement until its end', async () => {
  const cwd = temporaryFolder();
  const data = join(cwd, '.plant-store');
  mkdirSync(data);
  const file = join(data, 'running.json');
  const running = { baseUrl: 'http://127.0.0.1:1/v1', dynamodbEndpoint: tokens.endpoint };
  expect(findRunning(data)).toBeUndefined();
  const announced = announce(data, running);
  expect(findRunning(data)).toMatchObject({ processId: process.pid, ...running });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const written = JSON.parse(readFileSync(file, 'utf8'));
  const { stdout } = await tokenProcess('issue --owner found --localhost', {}, cwd);
  expect(await record(tokenId(stdout.trim()))).toMatchObject({ owner: 'found' });
  await announced.stop();
  expect(existsSync(file)).toBe(false);

  // One that was killed leaves its announcement.
  const { pid: processId } = spawnSync(process.execPath, ['--version']);
  writeFileSync(file, JSON.stringify({ ...written, processId }));
  expect(findRunning(data)).toBeUndefined();
  // What the process ids of another container say is unknown here.
  writeFileSync(file, JSON.stringify({ ...written, processId, processes: 'elsewhere' }));
  expect(findRunning(data)).toMatchObject(running);
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

/** Starts a server that gives one answer, and returns its URL. */
const answering = (status: number, body: string) =>
  serve((_, response) => response.writeHead(status).end(body));

test('a server is recognised that is not the database of an npm start', async () => {
  const other = await openTables({ accessTokens: 'Others' });
  for (const endpoint of [other.endpoint, await answering(403, '{"message":"Forbidden"}')]) {
    const { code, stderr } = await token(`list --dynamodb-endpoint ${endpoint}`);
    expect(code).toBe(1);
    const line = `error: The server at ${endpoint} is not the database of an "npm start"`;
    expect(stderr).toMatch(new RegExp(`^${line} \\(.*\\)\\.\n$`));
  }
});

test.each([ann, 'list', 'revoke Zk3v9QeXb2Lr'])(
  '%s does nothing with an empty answer of the database',
  async (command) => {
    const options = `--dynamodb-endpoint ${await answering(200, '')}`;
    const { code, stdout, stderr } = await token(`${command} ${options}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('DynamoDB did not answer with a JSON object.');
  },
);
