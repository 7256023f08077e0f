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
import { failure } from '../support/programs/printed.ts';
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
      .replace(/(?<=; expires: )20..-..-..T..:..:..Z/, 'EXPIRY');
  return { code, stdout: replace(stdout), stderr: replace(stderr) };
}

/** The result of a command that shows a new token. */
const issued = {
  code: 0,
  stdout: 'pst_NEW_SECRET\n',
  stderr: 'NEW: plants:read plants:write for ann; expires: EXPIRY. It cannot be shown again.\n',
};
/** Returns the result of a rotation, whose second line is about the old token. */
const rotated = (code: number, line: string): Ended => ({
  code,
  stdout: 'pst_NEW_SECRET\n',
  stderr: `NEW: plants:read for ann; expires: EXPIRY. It cannot be shown again.\n${line}\n`,
});
const inDoubt = (reason: string): Ended =>
  failure(
    `error: It is unknown whether the token NEW was issued (${reason}). Wait a minute, then run "list". If it shows NEW, run "revoke NEW". Then repeat the command.`,
  );
const timeout =
  '@smithy/node-http-handler - [ERROR] a request has exceeded the configured 3000 ms requestTimeout.';

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
  { title: 'revoked', act: revoke, result: issued },
  { title: 'shortened', act: overwrite({ expires: 1_700_000_000 }), result: issued },
  {
    title: 'given the digest of another token',
    act: overwrite({ digest: Buffer.alloc(32) }),
    result: inDoubt('read ECONNRESET'),
  },
  { title: 'erased', act: erase, result: inDoubt('read ECONNRESET') },
])('a new token that is $title while the response to its put is lost stays so', async (row) => {
  const { act, result } = row;
  let id = '';
  let left: unknown;
  const lost = loseResponseAfter(async (subject) => {
    id = subject;
    await act(id);
    left = await find(id);
  });
  const ended = await run('issue --owner ann', lost, pass);
  expect(mask(ended, { NEW: id })).toEqual(result);
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
  expect(await find(id)).toEqual(left);
});

// Every outcome that the client reports as unknown is settled alike.
test('issue shows its token if the response to its put is lost, after one put', async () => {
  const ended = await run('issue --owner ann', loseResponse, pass);
  const id = readId(ended);
  expect(mask(ended, { NEW: id })).toEqual(issued);
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
  expect(await find(id)).toMatchObject({ owner: 'ann' });
});

const denied = fail(400, 'AccessDeniedException');
const hang = () => clock.advance(3000);
test.each<{ title: string; faults: Fault[]; reason: string; isStored: boolean }>([
  { title: 'never arrived', faults: [reset, pass], reason: 'read ECONNRESET', isStored: false },
  { title: 'may still arrive', faults: [hang, pass], reason: timeout, isStored: false },
  {
    title: 'arrived, but cannot be read',
    faults: [loseResponse, denied],
    reason: 'read ECONNRESET',
    isStored: true,
  },
])('issue shows no token if its put $title, and names the id', async (row) => {
  const ended = await run('issue --owner ann', ...row.faults);
  const id = readId(ended);
  expect(mask(ended, { NEW: id })).toEqual(inDoubt(row.reason));
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
  expect((await find(id)) !== undefined).toBe(row.isStored);
});

test('revoke sends its update again if the response is lost', async () => {
  const { id } = await issue();
  expect(await run(`revoke ${id}`, loseResponse, pass)).toMatchObject({ code: 0, stdout: '' });
  expect(proxy.seen(id)).toEqual(['UpdateItem', 'UpdateItem']);
  expect(await find(id)).toMatchObject({ revoked: expect.any(Number) });
});

test.each([
  ['is lost too', loseResponse],
  ['is refused', denied],
])('revoke says that its outcome is unknown if its second update %s', async (_, second) => {
  const { id } = await issue();
  expect(await run(`revoke ${id}`, loseResponse, second)).toEqual(
    failure(
      `error: It is unknown whether the token ${id} was revoked (read ECONNRESET). Repeat the command.`,
    ),
  );
  expect(proxy.seen(id)).toEqual(['UpdateItem', 'UpdateItem']);
});

test('revoke that is refused is sent once, and its outcome is not unknown', async () => {
  const { id } = await issue();
  const { code, stderr } = await run(`revoke ${id}`, denied);
  expect(code).toBe(1);
  expect(stderr).toContain('(AccessDeniedException: a secret of the database)');
  expect(proxy.seen(id)).toEqual(['UpdateItem']);
});

test('revoke does not recreate a token that was erased before its second update', async () => {
  const { id } = await issue();
  const erased = loseResponseAfter(() => erase(id));
  expect(await run(`revoke ${id}`, erased, pass)).toEqual(
    failure(`error: There is no token ${id}. Run "list" to see the ids.`),
  );
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
  expect(mask(ended, { OLD: id, NEW: next })).toEqual(
    rotated(0, `It replaces OLD, which works until ${formatTime(expires)}.`),
  );
  expect(await find(id)).toMatchObject({ expires });
});

const missed = fail(400, 'ConditionalCheckFailedException');
const expires = 4_000_000_000;
const expiry = '2096-10-02T07:06:40Z';
test.each([
  {
    title: 'its update is lost twice',
    faults: [loseResponse, loseResponse],
    expires,
    rest: `${expiry} (read ECONNRESET)`,
  },
  {
    title: 'its update never arrives',
    faults: [reset, reset],
    expires,
    rest: `${expiry} (read ECONNRESET)`,
  },
  {
    title: 'its update is refused',
    faults: [denied],
    expires,
    rest: `${expiry} (a secret of the database)`,
  },
  {
    title: 'its update is refused, and it never expires',
    faults: [denied],
    expires: undefined,
    rest: 'it is revoked (a secret of the database)',
  },
  {
    title: 'its update misses, and the read after it is refused',
    faults: [missed, denied],
    expires,
    rest: `${expiry} (a secret of the database)`,
  },
  {
    title: 'its update finds a damaged record',
    faults: [passAfter(overwrite({ owner: 7 }))],
    expires,
    rest: `${expiry} (The record of the access token OLD is invalid: owner must be text.)`,
  },
])('rotate shows the new token and names the old one if $title', async (row) => {
  const { faults, expires, rest } = row;
  const { id } = await issue();
  await overwrite({ expires })(id);
  const ended = await rotate(id, ...faults);
  expect(mask(ended, { OLD: id, NEW: readId(ended) })).toEqual(
    rotated(
      1,
      `error: The old token OLD may still work until ${rest}. Run "revoke OLD" once nobody uses it.`,
    ),
  );
});

test.each([
  { title: 'revoked', act: revoke },
  { title: 'erased', act: erase },
])(
  'a token that is $title during its rotation stays so, and the new one is shown',
  async ({ title, act }) => {
    for (const fault of [passAfter, loseResponseAfter]) {
      const { id } = await issue();
      let left: unknown;
      const interference = fault(async () => {
        await act(id);
        left = await find(id);
      });
      const ended = await rotate(id, interference, pass);
      const next = readId(ended);
      expect(mask(ended, { OLD: id, NEW: next })).toEqual(
        rotated(
          1,
          `error: The old token OLD was ${title} during the rotation. If the new one must not work either, run "revoke NEW".`,
        ),
      );
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
