import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import {
  deleteToken,
  issueToken,
  revokeToken,
  rotateToken,
} from '../../functions/access-tokens/administration.ts';
import { getStatus } from '../../functions/access-tokens/record.ts';
import { parseTokenId } from '../../functions/access-tokens/token.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { runHere } from '../programs/run.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  type Fault,
  fail,
  hang,
  loseResponse,
  loseResponseAfter,
  pass,
  passAfter,
  reset,
  stale,
  startFaultProxy,
} from '../support/database/proxy.ts';

// The program reaches the engine through a proxy with faults. Other callers use the engine itself.

const table = tableIds.accessTokens;
const { endpoint, database } = await openDatabase();
const proxy = await startFaultProxy();
const faulty = proxy.before(endpoint);
afterEach(() => proxy.playForAll());

/** Runs a command, and injects one fault into each of its requests. The last fault stays. */
function run(line: string, ...faults: Fault[]) {
  proxy.playForAll(...faults);
  return runHere(tokenProgram, `${line} --dynamodb-endpoint ${faulty}`);
}
const find = (id: string) => findRecord(database, table, id);
const issue = () => {
  const expires = Math.floor(Date.now() / 1000) + 86_400;
  const input = { owner: 'ann', scopes: ['plants:read'], label: '', expires };
  return issueToken(database, table, input);
};
const failure = (message: string) => ({ code: 1, stdout: '', stderr: `error: ${message}\n` });

const describeChange = (id: string) =>
  failure(
    `The token ${id} was issued, but it was revoked, replaced or changed before it could be ` +
      `shown. Run "revoke ${id}", then repeat the command.`,
  );
const describeUnknown = (id: string, reason: string) =>
  failure(
    `It is unknown whether the token ${id} was issued (${reason}). Wait a minute, then run ` +
      `"list". If it shows ${id}, run "revoke ${id}". Then repeat the command.`,
  );
const resetReason = 'read ECONNRESET';

interface Interference {
  title: string;
  act(id: string): Promise<unknown>;
  told(id: string): object;
  status: 'active' | 'revoked' | 'expired' | undefined;
}
/** Changes members of a token's record. */
const overwrite = (change: object) => async (id: string) => {
  const Item = { ...(await find(id)), ...change };
  await database.send(new PutCommand({ TableName: table, Item }));
};
const interferences: Interference[] = [
  {
    title: 'revoked',
    act: (id) => revokeToken(database, table, id),
    told: describeChange,
    status: 'revoked',
  },
  {
    // With such an overlap the expiry stays.
    title: 'replaced',
    act: (id) => rotateToken(database, table, id, { overlap: 4_000_000_000 }),
    told: describeChange,
    status: 'active',
  },
  {
    title: 'shortened',
    act: overwrite({ expires: 1_700_000_000 }),
    told: describeChange,
    status: 'expired',
  },
  {
    title: 'given the digest of another token',
    act: overwrite({ digest: Buffer.alloc(32) }),
    told: (id) => describeUnknown(id, resetReason),
    status: 'active',
  },
  {
    title: 'erased',
    act: (id) => deleteToken(database, table, id),
    told: (id) => describeUnknown(id, resetReason),
    status: undefined,
  },
];

test.each(interferences)(
  'a new token that is $title while the response to its put is lost stays so, and is not shown',
  async ({ act, told, status }) => {
    let id = '';
    let left: unknown;
    const lost = loseResponseAfter(async (subject) => {
      id = subject;
      await act(id);
      left = await find(id);
    });
    expect(await run('issue --owner ann', lost, pass)).toEqual(told(id));
    expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
    const record = await find(id);
    expect(record).toEqual(left);
    expect(record && getStatus(record, Date.now())).toBe(status);
  },
);

test('rotate keeps the old token if the new one is revoked while the response to its put is lost', async () => {
  const old = await issue();
  let id = '';
  const lost = loseResponseAfter(async (subject) => {
    id = subject;
    await revokeToken(database, table, id);
  });
  expect(await run(`rotate ${old.id}`, pass, lost, pass)).toEqual(describeChange(id));
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
  expect(await find(id)).toMatchObject({ revoked: expect.any(Number) });
  expect(proxy.seen(old.id)).toEqual(['GetItem']);
  expect(await find(old.id)).toMatchObject({ id: old.id, expires: old.record.expires });
});

// Every outcome that the client reports as unknown is settled alike.
test('issue shows its token if the response to its put is lost, after one put', async () => {
  const { code, stdout } = await run('issue --owner ann', loseResponse, pass);
  const id = parseTokenId(stdout.trim()) ?? '';
  expect({ code, sent: proxy.seen(id) }).toEqual({ code: 0, sent: ['PutItem', 'GetItem'] });
  expect(await find(id)).toMatchObject({ owner: 'ann' });
});

/** Records the id of the token that a fault meets. */
function noteId(fault: Fault): { fault: Fault; id(): string } {
  let id = '';
  return {
    fault: (exchange) => {
      id = exchange.subject;
      return fault(exchange);
    },
    id: () => id,
  };
}

const noResponse =
  '@smithy/node-http-handler - [ERROR] a request has exceeded the configured 3000 ms requestTimeout.';
const unsettled: { title: string; faults: [Fault, Fault]; reason: string; isStored: boolean }[] = [
  { title: 'never arrived', faults: [reset, pass], reason: resetReason, isStored: false },
  { title: 'may still arrive', faults: [hang, pass], reason: noResponse, isStored: false },
  {
    title: 'arrived, but cannot be read',
    faults: [loseResponse, fail(400, 'AccessDeniedException')],
    reason: resetReason,
    isStored: true,
  },
];
test.each(unsettled)('issue shows no token if its put $title, and names the id', async (given) => {
  const [first, second] = given.faults;
  const { fault, id } = noteId(first);
  proxy.playForAll(fault, second);
  const line = `issue --owner ann --dynamodb-endpoint ${faulty}`;
  // A put may still arrive after a timeout only.
  const told = await runHere(tokenProgram, line, { hasTimeouts: true });
  expect(told).toEqual(describeUnknown(id(), given.reason));
  expect(proxy.seen(id())).toEqual(['PutItem', 'GetItem']);
  expect((await find(id())) !== undefined).toBe(given.isStored);
});

test('revoke sends its update again if the response is lost', async () => {
  const { id } = await issue();
  const { code } = await run(`revoke ${id}`, loseResponse, pass);
  expect({ code, sent: proxy.seen(id) }).toEqual({ code: 0, sent: ['UpdateItem', 'UpdateItem'] });
  expect(await find(id)).toMatchObject({ revoked: expect.any(Number) });
});

test.each([
  ['is lost too', loseResponse],
  ['is refused', fail(400, 'AccessDeniedException')],
])('revoke says that its outcome is unknown if its second update %s', async (_, second) => {
  const { id } = await issue();
  const message = `It is unknown whether the token ${id} was revoked (${resetReason}). Repeat the command.`;
  expect(await run(`revoke ${id}`, loseResponse, second)).toEqual(failure(message));
  expect(proxy.seen(id)).toEqual(['UpdateItem', 'UpdateItem']);
});

test('revoke does not recreate a token that was erased before its second update', async () => {
  const { id } = await issue();
  const erased = loseResponseAfter(() => deleteToken(database, table, id));
  const message = `There is no token ${id}. Run "list" to see the ids.`;
  expect(await run(`revoke ${id}`, erased, pass)).toEqual(failure(message));
  expect(await find(id)).toBeUndefined();
});

test('rotate sends its update again if the response is lost', async () => {
  const { id } = await issue();
  const { code, stdout } = await run(`rotate ${id}`, pass, pass, loseResponse, pass);
  expect(code).toBe(0);
  expect(proxy.seen(id)).toEqual(['GetItem', 'UpdateItem', 'UpdateItem']);
  expect(await find(id)).toMatchObject({ replacedBy: parseTokenId(stdout.trim()) });
});

test.each([
  {
    title: 'both responses to its update are lost',
    updates: [loseResponse, loseResponse],
    sent: ['GetItem', 'UpdateItem', 'UpdateItem'],
    reason: resetReason,
  },
  {
    title: 'its update is refused',
    updates: [fail(400, 'AccessDeniedException')],
    sent: ['GetItem', 'UpdateItem'],
    reason: 'a secret of the database',
  },
])('rotate names both tokens if $title', async ({ updates, sent, reason }) => {
  const { id } = await issue();
  const { fault, id: next } = noteId(pass);
  const told = await run(`rotate ${id}`, pass, fault, ...updates);
  expect(proxy.seen(id)).toEqual(sent);
  expect(await find(next())).toMatchObject({ owner: 'ann' });
  expect(told).toEqual(
    failure(
      `It is unknown whether ${id} was replaced (${reason}). The new token ${next()} was ` +
        `issued, but cannot be shown. Run "revoke ${next()}", then repeat the command.`,
    ),
  );
});

test('rotate deletes the new token if the old one is revoked before its second update', async () => {
  const { id } = await issue();
  const { fault, id: next } = noteId(pass);
  const revoked = loseResponseAfter(() => revokeToken(database, table, id));
  const told = await run(`rotate ${id}`, pass, fault, revoked, pass);
  expect(told).toEqual(failure(`The token ${id} is revoked. Issue a new one instead.`));
  expect(await find(id)).toMatchObject({ revoked: expect.any(Number) });
  expect(await find(next())).toBeUndefined();
});

test.each([
  {
    title: 'revoked',
    act: (id: string) => revokeToken(database, table, id),
    message: 'The token ID is revoked. Issue a new one instead.',
  },
  {
    title: 'erased',
    act: (id: string) => deleteToken(database, table, id),
    message: 'There is no token ID. Run "list" to see the ids.',
  },
])(
  'a token that is $title during its rotation stays so, and the new one is deleted',
  async (row) => {
    const { id } = await issue();
    const { fault, id: next } = noteId(pass);
    let left: unknown;
    const interference = passAfter(async () => {
      await row.act(id);
      left = await find(id);
    });
    const told = await run(`rotate ${id}`, pass, fault, interference, pass);
    expect(told).toEqual(failure(row.message.replace('ID', id)));
    expect(await find(id)).toEqual(left);
    expect(await find(next())).toBeUndefined();
  },
);

test('rotate names the new token if it may not have been deleted', async () => {
  const { id } = await issue();
  const { fault, id: next } = noteId(pass);
  const revoked = passAfter(() => revokeToken(database, table, id));
  const told = await run(`rotate ${id}`, pass, fault, revoked, reset);
  expect(told).toEqual(
    failure(
      `The token ${id} changed during the rotation. The new token ${next()} was issued, and may ` +
        `not have been deleted (${resetReason}). Run "revoke ${next()}".`,
    ),
  );
});

test('list, rotate and issue find the latest writes', async () => {
  const { id } = await issue();
  expect(await run('list --owner ann', stale)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(id),
  });
  expect(await run(`rotate ${id}`, stale)).toMatchObject({ code: 0 });
  expect(await run('issue --owner ann', loseResponse, stale)).toMatchObject({ code: 0 });
});
