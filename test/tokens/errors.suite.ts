import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { deleteToken, issueToken, revokeToken } from '../../lib/tokens/tokens.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { clock } from '../support/clock/clock.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  type Fault,
  fail,
  loseResponse,
  pass,
  passAfter,
  startFaultProxy,
} from '../support/database/proxy.ts';
import type { Ended } from '../support/program.ts';
import { failure, mask } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';

// What commands say. What they do is explored in test/consistency. The program reaches the engine
// through a proxy with faults. Other callers use the engine itself.

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

/** Returns the result of a rotation, whose second line is about the old token. */
const rotated = (code: number, line: string): Ended => ({
  code,
  stdout: 'TOKEN\n',
  stderr: `NEW: plants:read for ann; expires: TIME. It cannot be shown again.\n${line}\n`,
});
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

const denied = fail(400, 'AccessDeniedException');
const hang = () => clock.advance(3000);
test.each<{ title: string; faults: Fault[]; reason: string; isStored: boolean }>([
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
  expect(mask(ended, { NEW: id })).toEqual(
    failure(
      `error: It is unknown whether the token NEW was issued (${row.reason}). Wait a minute, then run "list". If it shows NEW, run "revoke NEW". Then repeat the command.`,
    ),
  );
  expect(proxy.seen(id)).toEqual(['PutItem', 'GetItem']);
  expect((await find(id)) !== undefined).toBe(row.isStored);
});

test('revoke says that its outcome is unknown if its second update is refused', async () => {
  const { id } = await issue();
  expect(await run(`revoke ${id}`, loseResponse, denied)).toEqual(
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

/** Runs `rotate`. Sets the faults of its update and of what follows. */
const rotate = (id: string, ...faults: Fault[]) => run(`rotate ${id}`, pass, pass, ...faults);

const missed = fail(400, 'ConditionalCheckFailedException');
const expires = 4_000_000_000;
const expiry = '2096-10-02T07:06:40Z';
test.each([
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
  { title: 'revoked', act: revokeToken },
  { title: 'erased', act: deleteToken },
])('rotate shows the new token if the old one is $title meanwhile', async ({ title, act }) => {
  const { id } = await issue();
  const ended = await rotate(
    id,
    passAfter(() => act(database, table, id)),
    pass,
  );
  const error =
    `error: The old token OLD was ${title} during the rotation. If the new one must not work ` +
    'either, run "revoke NEW".';
  expect(mask(ended, { OLD: id, NEW: readId(ended) })).toEqual(rotated(1, error));
});
