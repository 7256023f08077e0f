import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import {
  deleteToken,
  issueToken,
  revokeToken,
} from '../../functions/access-tokens/administration.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { runHere } from '../programs/run.ts';
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

// The program reaches the engine through a proxy with faults. Other callers use the engine itself.

const table = tableIds.accessTokens;
const { endpoint, database } = await openDatabase();
const proxy = await startFaultProxy();
const faulty = proxy.before(endpoint);
afterEach(() => proxy.playForAll());

/**
 * Runs a command, and injects one fault into each of its requests. The last fault stays. The output
 * has SECRET and EXPIRY in place of a new token's secret and end.
 */
async function run(line: string, ...faults: Fault[]) {
  proxy.playForAll(...faults);
  const { code, stdout, stderr } = await runHere(
    tokenProgram,
    `${line} --dynamodb-endpoint ${faulty}`,
  );
  return {
    code,
    stdout: stdout.replace(/^(pst_\w{12}_)\w{49}$/m, '$1SECRET'),
    stderr: stderr.replace(/(?<=; expires: )20..-..-..T..:..:..Z/, 'EXPIRY'),
  };
}
/** Returns the id of the token on stdout. */
const readId = ({ stdout }: { stdout: string }) => stdout.split('_')[1] ?? '';
const find = (id: string) => findRecord(database, table, id);
const newToken = { owner: 'ann', scopes: ['plants:read'], label: '', lifetime: 86_400 };
const issue = () => issueToken(database, table, newToken);
const failure = (message: string) => ({ code: 1, stdout: '', stderr: `error: ${message}\n` });

/** Returns the line on stderr about a new token of ann. */
const describeToken = (id: string, scopes: string) =>
  `${id}: ${scopes} for ann; expires: EXPIRY. It cannot be shown again.\n`;
const describeIssued = (id: string) => ({
  code: 0,
  stdout: `pst_${id}_SECRET\n`,
  stderr: describeToken(id, 'plants:read plants:write'),
});
const describeUnknown = (id: string, reason: string) =>
  failure(
    `It is unknown whether the token ${id} was issued (${reason}). Wait a minute, then run ` +
      `"list". If it shows ${id}, run "revoke ${id}". Then repeat the command.`,
  );
const resetReason = 'read ECONNRESET';

interface Interference {
  title: string;
  act(id: string): Promise<unknown>;
  /** Whether the new token is shown. */
  isShown: boolean;
}
/** Changes members of a token's record. */
const overwrite = (change: object) => async (id: string) => {
  const Item = { ...(await find(id)), ...change };
  await database.send(new PutCommand({ TableName: table, Item }));
};
const interferences: Interference[] = [
  { title: 'revoked', act: (id) => revokeToken(database, table, id), isShown: true },
  { title: 'shortened', act: overwrite({ expires: 1_700_000_000 }), isShown: true },
  {
    title: 'given the digest of another token',
    act: overwrite({ digest: Buffer.alloc(32) }),
    isShown: false,
  },
  { title: 'erased', act: (id) => deleteToken(database, table, id), isShown: false },
];

test.each(interferences)(
  'a new token that is $title while the response to its put is lost stays so',
  async ({ act, isShown }) => {
    let id = '';
    let left: unknown;
    const lost = loseResponseAfter(async (subject) => {
      id = subject;
      await act(id);
      left = await find(id);
    });
    const ended = await run('issue --owner ann', lost, pass);
    expect(ended).toEqual(isShown ? describeIssued(id) : describeUnknown(id, resetReason));
    expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
    expect(await find(id)).toEqual(left);
  },
);

// Every outcome that the client reports as unknown is settled alike.
test('issue shows its token if the response to its put is lost, after one put', async () => {
  const ended = await run('issue --owner ann', loseResponse, pass);
  const id = readId(ended);
  expect(ended).toEqual(describeIssued(id));
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
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
  {
    title: 'may still arrive',
    faults: [() => clock.advance(3000), pass],
    reason: noResponse,
    isStored: false,
  },
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
  const told = await runHere(tokenProgram, line);
  expect(told).toEqual(describeUnknown(id(), given.reason));
  expect(proxy.seen(id())).toEqual(['PutItem', 'GetItem']);
  expect((await find(id())) !== undefined).toBe(given.isStored);
});

test('revoke sends its update again if the response is lost', async () => {
  const { id } = await issue();
  expect(await run(`revoke ${id}`, loseResponse, pass)).toEqual({
    code: 0,
    stdout: '',
    stderr:
      `Revoked ${id} of ann. API Gateway may accept it for up to 60 s more, or for as long as ` +
      'the setting authorizer-cache says.\n',
  });
  expect(proxy.seen(id)).toEqual(['UpdateItem', 'UpdateItem']);
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

test('revoke that is refused is sent once, and its outcome is not unknown', async () => {
  const { id } = await issue();
  const message =
    `The server at ${faulty} is not the database of an "npm start" (AccessDeniedException: a ` +
    'secret of the database). Choose another with --dynamodb-endpoint.';
  expect(await run(`revoke ${id}`, fail(400, 'AccessDeniedException'))).toEqual(failure(message));
  expect(proxy.seen(id)).toEqual(['UpdateItem']);
});

test('revoke does not recreate a token that was erased before its second update', async () => {
  const { id } = await issue();
  const erased = loseResponseAfter(() => deleteToken(database, table, id));
  const message = `There is no token ${id}. Run "list" to see the ids.`;
  expect(await run(`revoke ${id}`, erased, pass)).toEqual(failure(message));
  expect(await find(id)).toBeUndefined();
});

/** Runs `rotate`. Sets the faults of its update and of what follows. */
const rotate = (id: string, ...faults: Fault[]) => run(`rotate ${id}`, pass, pass, ...faults);
/** Returns the output of a rotation that shows the new token, and then fails. */
const describeHalfDone = (next: string, message: string) => ({
  code: 1,
  stdout: `pst_${next}_SECRET\n`,
  stderr: `${describeToken(next, 'plants:read')}error: ${message}\n`,
});

test('rotate sends its update again if the response is lost', async () => {
  const { id } = await issue();
  const ended = await rotate(id, loseResponse, pass);
  expect(proxy.seen(id)).toEqual(['GetItem', 'UpdateItem', 'UpdateItem']);
  const next = readId(ended);
  const { created = 0 } = (await find(next)) ?? {};
  const expires = created + 3600;
  const end = new Date(expires * 1000).toISOString().replace('.000', '');
  expect(ended).toEqual({
    code: 0,
    stdout: `pst_${next}_SECRET\n`,
    stderr: `${describeToken(next, 'plants:read')}It replaces ${id}, which works until ${end}.\n`,
  });
  expect(await find(id)).toMatchObject({ expires });
});

const denied = fail(400, 'AccessDeniedException');
test.each([
  { title: 'is lost twice', faults: [loseResponse, loseResponse], reason: resetReason },
  { title: 'never arrives', faults: [reset, reset], reason: resetReason },
  { title: 'is refused', faults: [denied], reason: 'a secret of the database' },
  {
    title: 'does not apply, and the read after it is refused',
    faults: [fail(400, 'ConditionalCheckFailedException'), denied],
    reason: 'a secret of the database',
  },
])('rotate shows the new token and names the old one if its update $title', async (row) => {
  const ends = [
    { id: (await issue()).id, more: { expires: 4_000_000_000 }, end: '2096-10-02T07:06:40Z' },
    { id: (await issue()).id, more: { expires: undefined }, end: 'it is revoked' },
  ];
  for (const { id, more, end } of ends) {
    await overwrite(more)(id);
    const message =
      `The old token ${id} may still work until ${end} (${row.reason}). Run "revoke ${id}" once ` +
      'nobody uses it.';
    const ended = await rotate(id, ...row.faults);
    expect(ended).toEqual(describeHalfDone(readId(ended), message));
  }
});

const endings = [
  { title: 'revoked', act: (id: string) => revokeToken(database, table, id) },
  { title: 'erased', act: (id: string) => deleteToken(database, table, id) },
];
test.each(endings)(
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
      const message =
        `The old token ${id} was ${title} during the rotation. If the new one must not work ` +
        `either, run "revoke ${next}".`;
      expect(ended).toEqual(describeHalfDone(next, message));
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
