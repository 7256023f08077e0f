import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { formatTime } from '../../functions/access-tokens/record.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { deleteToken, issueToken, revokeToken } from '../../lib/tokens/tokens.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { clock } from '../support/clock/clock.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  type Fault,
  fail,
  loseResponse,
  loseResponseAfter,
  pass,
  passAfter,
  reset,
  stale,
  startFaultProxy,
} from '../support/database/proxy.ts';
import type { Ended } from '../support/program.ts';
import { runHere } from '../support/programs/run.ts';

// The program reaches the engine through a proxy with faults. Other callers use the engine itself.

const table = tableIds.accessTokens;
const { endpoint, database } = await openDatabase();
const proxy = await startFaultProxy();
const faulty = proxy.before(endpoint);
afterEach(() => proxy.playForAll());

/** Runs a command, and injects one fault into each of its requests. The last fault stays. */
function run(line: string, ...faults: Fault[]): Promise<Ended> {
  proxy.playForAll(...faults);
  return runHere(tokenProgram, `${line} --dynamodb-endpoint ${faulty}`);
}

/** Returns the id of the new token, even if its secret is not shown. */
const readId = ({ stdout, stderr }: Ended) =>
  /(?:^pst_|the token )(\w{12})/.exec(stdout || stderr)?.[1] ?? '';

/** Returns an output with names in place of ids, and of what else differs. */
function mask({ code, stdout, stderr }: Ended, ids: Record<string, string>): Ended {
  const replace = (text: string) =>
    Object.entries(ids)
      .reduce((masked, [name, id]) => masked.replaceAll(id, name), text)
      .replace(/^pst_NEW_\w{49}$/m, 'pst_NEW_SECRET')
      .replace(/(?<=; expires: )20..-..-..T..:..:..Z/, 'EXPIRY')
      .replace(/(?<=, which works until )20..-..-..T..:..:..Z/, 'END')
      .replace(faulty, 'ENDPOINT');
  return { code, stdout: replace(stdout), stderr: replace(stderr) };
}

const find = (id: string) => findRecord(database, table, id);
const newToken = { owner: 'ann', scopes: ['plants:read'], label: '', lifetime: 86_400 };
const issue = () => issueToken(database, table, newToken);
/** Changes members of a token's record. */
const overwrite = (change: object) => async (id: string) => {
  const Item = { ...(await find(id)), ...change };
  await database.send(new PutCommand({ TableName: table, Item }));
};
const revoke = (id: string) => revokeToken(database, table, id);
const erase = (id: string) => deleteToken(database, table, id);

test.each([
  { title: 'revoked', act: revoke },
  { title: 'shortened', act: overwrite({ expires: 1_700_000_000 }) },
  { title: 'given the digest of another token', act: overwrite({ digest: Buffer.alloc(32) }) },
  { title: 'erased', act: erase },
])('a new token that is $title while the response to its put is lost stays so', async ({ act }) => {
  let id = '';
  let left: unknown;
  const lost = loseResponseAfter(async (subject) => {
    id = subject;
    await act(id);
    left = await find(id);
  });
  const ended = await run('issue --owner ann', lost, pass);
  expect(mask(ended, { NEW: id })).toMatchSnapshot();
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
  expect(await find(id)).toEqual(left);
});

// Every outcome that the client reports as unknown is settled alike.
test('issue shows its token if the response to its put is lost, after one put', async () => {
  const ended = await run('issue --owner ann', loseResponse, pass);
  const id = readId(ended);
  expect(mask(ended, { NEW: id })).toMatchSnapshot();
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
  expect(await find(id)).toMatchObject({ owner: 'ann' });
});

const denied = fail(400, 'AccessDeniedException');
test.each<{ title: string; faults: Fault[]; isStored: boolean }>([
  { title: 'never arrived', faults: [reset, pass], isStored: false },
  { title: 'may still arrive', faults: [() => clock.advance(3000), pass], isStored: false },
  { title: 'arrived, but cannot be read', faults: [loseResponse, denied], isStored: true },
])('issue shows no token if its put $title, and names the id', async ({ faults, isStored }) => {
  const ended = await run('issue --owner ann', ...faults);
  const id = readId(ended);
  expect(ended.stdout).toBe('');
  expect(mask(ended, { NEW: id })).toMatchSnapshot();
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
  expect((await find(id)) !== undefined).toBe(isStored);
});

test('revoke sends its update again if the response is lost', async () => {
  const { id } = await issue();
  expect(mask(await run(`revoke ${id}`, loseResponse, pass), { OLD: id })).toMatchSnapshot();
  expect(proxy.seen(id)).toEqual(['UpdateItem', 'UpdateItem']);
  expect(await find(id)).toMatchObject({ revoked: expect.any(Number) });
});

test.each([
  ['is lost too', loseResponse],
  ['is refused', denied],
])('revoke says that its outcome is unknown if its second update %s', async (_, second) => {
  const { id } = await issue();
  expect(mask(await run(`revoke ${id}`, loseResponse, second), { OLD: id })).toMatchSnapshot();
  expect(proxy.seen(id)).toEqual(['UpdateItem', 'UpdateItem']);
});

test('revoke that is refused is sent once, and its outcome is not unknown', async () => {
  const { id } = await issue();
  expect(mask(await run(`revoke ${id}`, denied), { OLD: id })).toMatchSnapshot();
  expect(proxy.seen(id)).toEqual(['UpdateItem']);
});

test('revoke does not recreate a token that was erased before its second update', async () => {
  const { id } = await issue();
  const erased = loseResponseAfter(() => erase(id));
  expect(mask(await run(`revoke ${id}`, erased, pass), { OLD: id })).toMatchSnapshot();
  expect(await find(id)).toBeUndefined();
});

/** Runs `rotate`. Sets the faults of its update and of what follows. */
const rotate = (id: string, ...faults: Fault[]) => run(`rotate ${id}`, pass, pass, ...faults);

test('rotate sends its update again if the response is lost', async () => {
  const { id } = await issue();
  const ended = await rotate(id, loseResponse, pass);
  expect(proxy.seen(id)).toEqual(['GetItem', 'UpdateItem', 'UpdateItem']);
  const next = readId(ended);
  const { created = 0 } = (await find(next)) ?? {};
  const expires = created + 3600;
  expect(ended.stderr).toContain(`, which works until ${formatTime(expires)}.\n`);
  expect(mask(ended, { OLD: id, NEW: next })).toMatchSnapshot();
  expect(await find(id)).toMatchObject({ expires });
});

const missed = fail(400, 'ConditionalCheckFailedException');
const expires = 4_000_000_000;
test.each([
  { title: 'its update is lost twice', faults: [loseResponse, loseResponse], expires },
  { title: 'its update never arrives', faults: [reset, reset], expires },
  { title: 'its update is refused', faults: [denied], expires },
  { title: 'its update is refused, and it never expires', faults: [denied], expires: undefined },
  {
    title: 'its update misses, and the read after it is refused',
    faults: [missed, denied],
    expires,
  },
  {
    title: 'its update finds a damaged record',
    faults: [passAfter(overwrite({ owner: 7 }))],
    expires,
  },
])('rotate shows the new token and names the old one if $title', async ({ faults, ...change }) => {
  const { id } = await issue();
  await overwrite(change)(id);
  const ended = await rotate(id, ...faults);
  expect(mask(ended, { OLD: id, NEW: readId(ended) })).toMatchSnapshot();
});

test.each([
  { title: 'revoked', act: revoke },
  { title: 'erased', act: erase },
])(
  'a token that is $title during its rotation stays so, and the new one is shown',
  async ({ act }) => {
    for (const fault of [passAfter, loseResponseAfter]) {
      const { id } = await issue();
      let left: unknown;
      const interference = fault(async () => {
        await act(id);
        left = await find(id);
      });
      const ended = await rotate(id, interference, pass);
      const next = readId(ended);
      expect(mask(ended, { OLD: id, NEW: next })).toMatchSnapshot();
      expect(await find(id)).toEqual(left);
      expect(await find(next)).toMatchObject(newToken);
    }
  },
);

test('list, rotate and issue find the latest writes', async () => {
  const { id } = await issue();
  expect(await run('list --owner ann', stale)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(id),
  });
  expect(await run(`rotate ${id}`, stale, pass)).toMatchObject({ code: 0 });
  expect(await run('issue --owner ann', loseResponse, stale)).toMatchObject({ code: 0 });
});
