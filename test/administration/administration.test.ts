import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import {
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
} from '../../bin/administration/access-tokens.ts';
import { AdministrationError } from '../../bin/administration/administration-error.ts';
import { findRecord } from '../../functions/access-tokens/record.ts';
import { digest } from '../../functions/access-tokens/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { localClient } from '../../lib/database/database-client.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { finallyDo } from '../support/cleanup.ts';
import { openTables } from '../support/database/open-database.ts';

const table = tableIds.accessTokens;
const { endpoint } = await openTables();
// It returns numbers, and the programs' own client bigints.
const database = DynamoDBDocumentClient.from(localClient(endpoint));
finallyDo(() => database.destroy());

const second = 1_800_000_000;
const at = (seconds: number) => () => seconds * 1000 + 999;
const grant = { owner: 'ann', scopes: allScopes, label: 'her laptop', expires: second + 1000 };
const issue = (more: Partial<typeof grant> | { expires: undefined } = {}) =>
  issueToken(database, table, { ...grant, ...more }, at(second));
const find = (id: string) => findRecord(database, table, id);
const scan = async () => (await database.send(new ScanCommand({ TableName: table }))).Items ?? [];
const remove = (id: string) => database.send(new DeleteCommand({ TableName: table, Key: { id } }));
const revoke = (id: string, now?: () => number) => revokeToken(database, table, id, now);
const rotate = (
  id: string,
  { overlap = 60, expires = undefined as number | undefined, now = second } = {},
) => rotateToken(database, table, id, { overlap, expires }, at(now));

/** Runs something once, after the database has acted on a command and before the SDK knows. */
function after(commandName: string, act: () => Promise<unknown>) {
  const name = 'afterCommand';
  let done = false;
  database.middlewareStack.add(
    (next, { commandName: current }) =>
      async (args) => {
        const answer = await next(args);
        if (done || current !== commandName) return answer;
        done = true;
        database.middlewareStack.remove(name);
        await act();
        return answer;
      },
    { name, step: 'finalizeRequest', priority: 'low' },
  );
}

/** Changes the input of all commands while something runs. */
async function asking(
  change: (input: Record<string, unknown>) => object,
  run: () => Promise<unknown>,
) {
  const name = 'change';
  database.middlewareStack.add(
    (next) => (args) => next({ ...args, input: { ...args.input, ...change(args.input as never) } }),
    { name, step: 'initialize', priority: 'high' },
  );
  try {
    return await run();
  } finally {
    database.middlewareStack.remove(name);
  }
}

/** Fails as the SDK does if a connection is reset. */
const loseAnswer = async () => {
  throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
};

test('a token is stored as its digest with its grant, and can be read back', async () => {
  const { id, token, record } = await issue();
  expect(record).toEqual({ ...grant, id, digest: digest(token), created: second });
  expect(await find(id)).toEqual({ ...record, digest: new Uint8Array(record.digest) });
});

test('a token that never expires has no expiry, so that the TTL does not delete it', async () => {
  const { id } = await issue({ expires: undefined });
  expect(Object.keys((await find(id)) ?? {})).not.toContain('expires');
  expect((await scan()).find((item) => item.id === id)).not.toHaveProperty('expires');
});

test('a scope is granted once, however often it is named', async () => {
  const { record } = await issue({ scopes: ['plants:read', 'plants:read'] });
  expect(record.scopes).toEqual(['plants:read']);
});

test.each(['a', 'A.b_c@d-9', 'a'.repeat(128)])(
  'a token is issued to the owner %j',
  async (owner) => {
    expect((await issue({ owner })).record.owner).toBe(owner);
  },
);

const badOwner = 'owner must be 1 to 128 letters, digits and . _ @ -';
const secret = forge();
// Whole, cut short, and without the prefix: with and without the checksum.
const pasted = [secret, secret.slice(0, 40), secret.slice(17), secret.slice(17, 60)];
test.each<readonly [Record<string, unknown>, fault: string]>([
  ...['Ann Arbor', '', 'a'.repeat(129), 'ann\n'].map((owner) => [{ owner }, badOwner] as const),
  [{ scopes: [] }, 'scopes must be at least one'],
  [{ expires: Number.NaN }, 'expires must be in the future'],
  [
    { owner: 'a b', scopes: ['plants:all'], label: 'bell \u0007', expires: second },
    `${badOwner}; scopes must be ${allScopes.join(' or ')}; ` +
      'label must be at most 100 characters without control characters; ' +
      'expires must be in the future',
  ],
  [{ label: 'x'.repeat(101) }, 'label must be at most 100 characters without control characters'],
  ...pasted.flatMap((text) => [
    [{ owner: text }, 'owner looks like an access token or its secret'] as const,
    [{ label: `for (${text})` }, 'label looks like an access token or its secret'] as const,
  ]),
])(
  'a grant with %j is refused with every fault named, and nothing is stored',
  async (bad, fault) => {
    const before = (await scan()).length;
    const error = await issue(bad as never).catch((thrown) => thrown);
    expect(error).toEqual(new AdministrationError(`No token was issued: ${fault}.`));
    expect(await scan()).toHaveLength(before);
  },
);

test('a list has all tokens or those of one owner, the oldest first, without digests', async () => {
  const owner = 'lister';
  const ids: string[] = [];
  for (const created of [30, 10, 20])
    ids.push((await issueToken(database, table, { ...grant, owner }, at(created))).id);
  const listed = await listTokens(database, table, owner);
  expect(listed.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]]);
  expect(listed[0]).toEqual({ ...grant, id: ids[1], owner, created: 10 });
  expect(await listTokens(database, table, 'nobody')).toEqual([]);

  const all = await listTokens(database, table);
  expect(all.map(({ id }) => id).sort()).toEqual((await scan()).map(({ id }) => id).sort());
  let pages = 0;
  const limit = () => ({ Limit: pages++ > 0 ? 2 : 1 });
  const paged = await asking(limit, () => listTokens(database, table));
  expect(paged).toEqual(all);
  expect(pages).toBeGreaterThan(2);
});

test('revoking a revoked token changes nothing', async () => {
  const { id } = await issue();
  const revoked = second + 5;
  expect(await revoke(id, at(revoked))).toMatchObject({ id, revoked });
  expect(await revoke(id, at(second + 9))).toMatchObject({ id, revoked });
  expect(await find(id)).toMatchObject({ ...grant, revoked });
});

test('revoking or rotating an unknown token stores nothing', async () => {
  const before = (await scan()).length;
  const error = new AdministrationError('There is no token abcdefghijkl.');
  await expect(revoke('abcdefghijkl')).rejects.toThrow(error);
  await expect(rotate('abcdefghijkl', { overlap: 0 })).rejects.toThrow(error);
  expect(await scan()).toHaveLength(before);
});

test.each([
  ['that expires later', second + 1000, 60, second + 60],
  ['that expires before the overlap ends', second + 30, 60, second + 30],
  ['that never expires', undefined, 60, second + 60],
  ['at once', undefined, 0, second],
])(
  'rotating a token %s issues one with the same grant, and ends the old one within the overlap',
  async (_, expires, overlap, end) => {
    const old = await issue({ scopes: ['plants:read'], label: 'ci', expires });
    const renewed = { expires: second + 9000 };
    const { id, token, record, replaced } = await rotate(old.id, { overlap, ...renewed });
    expect(id).not.toBe(old.id);
    expect(record).toEqual({ ...old.record, id, digest: digest(token), ...renewed });
    const ended = { id: old.id, expires: end, replacedBy: id };
    expect(replaced).toMatchObject(ended);
    const stored = new Uint8Array(old.record.digest);
    expect(await find(old.id)).toEqual({ ...old.record, digest: stored, ...ended });
    expect(await find(id)).toMatchObject({ id, owner: 'ann', ...renewed });
  },
);

test('a revoked or expired token is not rotated', async () => {
  const revoked = await issue();
  await revoke(revoked.id);
  const expired = await issue();
  const before = (await scan()).length;
  const later = { now: second + 1000 };
  const refusal = (id: string, end: string) =>
    `The token ${id} is ${end}. Issue a new one instead.`;
  await expect(rotate(revoked.id, later)).rejects.toThrow(refusal(revoked.id, 'revoked'));
  await expect(rotate(expired.id, later)).rejects.toThrow(refusal(expired.id, 'expired'));
  expect(await scan()).toHaveLength(before);
});

test.each<[string, (id: string) => Promise<unknown>, string, number]>([
  ['revoked', revoke, 'ID is revoked. Issue a new one', 0],
  ['deleted', remove, 'There is no token ID.', -1],
  ['rotated', (id) => rotate(id, { overlap: 1 }), 'ID was already replaced by ', +1],
])(
  'a token that is %s while it is being rotated stays so, and no new one is left over',
  async (_, happens, message, more) => {
    const { id } = await issue();
    const before = (await scan()).length;
    let meanwhile: unknown;
    after('GetItemCommand', async () => {
      await happens(id);
      meanwhile = (await find(id)) ?? 'nothing';
    });
    const error = await rotate(id).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AdministrationError);
    expect(error.message).toContain(message.replace('ID', id));
    expect((await find(id)) ?? 'nothing').toEqual(meanwhile);
    expect(await scan()).toHaveLength(before + more);
  },
);

test('of ten rotations at a time one succeeds, and the others name its new token', async () => {
  const { id } = await issue();
  const before = (await scan()).length;
  const rotations = await Promise.allSettled(Array.from({ length: 10 }, () => rotate(id)));
  const [winner, ...more] = rotations.flatMap((one) =>
    one.status === 'fulfilled' ? one.value.id : [],
  );
  expect(more).toEqual([]);
  const told = rotations.flatMap((one) => (one.status === 'rejected' ? one.reason.message : []));
  expect(told).toEqual(
    Array(9).fill(
      `The token ${id} was already replaced by ${winner}. Rotate that one. ` +
        'If it is lost, revoke it and issue a new one.',
    ),
  );
  expect(await scan()).toHaveLength(before + 1);
  expect(await find(id)).toMatchObject({ replacedBy: winner });
});

test('a token that was rotated is not rotated again, but the one that replaced it is', async () => {
  const { id } = await issue();
  const next = await rotate(id);
  const before = await scan();
  await expect(rotate(id)).rejects.toThrow(`was already replaced by ${next.id}. Rotate that one.`);
  expect(await scan()).toEqual(before);
  expect((await rotate(next.id)).replaced).toMatchObject({ id: next.id });
});

test.each(['PutItemCommand', 'UpdateItemCommand'])(
  'a rotation succeeds if the answer to its %s is lost and the SDK retries it',
  async (command) => {
    const old = await issue();
    after(command, loseAnswer);
    const { id, replaced } = await rotate(old.id);
    expect(replaced.expires).toBe(second + 60);
    expect(await find(old.id)).toMatchObject({ expires: second + 60 });
    expect(await find(id)).toMatchObject({ owner: 'ann' });
  },
);

test('issuing a token with a taken id fails and overwrites nothing', async () => {
  const { id } = await issue();
  const bystander = await find(id);
  const collide = ({ Item }: Record<string, unknown>) => (Item ? { Item: { ...Item, id } } : {});
  await expect(asking(collide, () => issue({ owner: 'other' }))).rejects.toThrow(
    ConditionalCheckFailedException,
  );
  expect(await find(id)).toEqual(bystander);
});

test.each([
  ['a short digest', { digest: Buffer.from('QUOTED') }, 'digest must be 32 bytes'],
  ['a digest as text', { digest: 'QUOTED' }, 'digest must be 32 bytes'],
  ['no digest', { digest: undefined }, 'digest is missing'],
  ['an unknown scope', { scopes: ['QUOTED'] }, `scopes must be ${allScopes.join(' or ')}`],
  ['scopes as text', { scopes: 'QUOTED' }, 'scopes must be a list'],
  ['no scope', { scopes: [] }, 'scopes must be at least one'],
  ['an empty owner', { owner: '' }, badOwner],
  ['an owner as a list', { owner: ['QUOTED'] }, 'owner must be text'],
  ['a label as a list', { label: ['QUOTED'] }, 'label must be text'],
  ['an expiry as text', { expires: 'QUOTED' }, 'expires must be whole seconds since 1970'],
  ['a creation as text', { created: 'QUOTED' }, 'created must be whole seconds since 1970'],
  ['a fraction of a second', { revoked: 0.5 }, 'revoked must be whole seconds since 1970'],
  ['a replacement as a list', { replacedBy: ['QUOTED'] }, 'replacedBy must be text'],
])(
  'reading a record with %s fails without quoting it, so that it grants no access',
  async (_, fault, message) => {
    const { record } = await issue();
    const item = Object.fromEntries(
      Object.entries({ ...record, ...fault }).filter(([, value]) => value !== undefined),
    );
    await database.send(new PutCommand({ TableName: table, Item: item }));
    const error = new Error(`The record of the access token ${record.id} is invalid: ${message}.`);
    await expect(find(record.id)).rejects.toThrow(error);
    await expect(listTokens(database, table)).rejects.toThrow(error);
    await remove(record.id);
  },
);
