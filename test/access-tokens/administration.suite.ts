import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, NumberValue, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import {
  AdministrationError,
  issueToken,
  type Lifetime,
  listTokens,
  revokeToken,
  rotateToken,
} from '../../functions/access-tokens/administration.ts';
import { parseRecord } from '../../functions/access-tokens/record.ts';
import { digestToken } from '../../functions/access-tokens/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { openDatabase } from '../support/database/engine.ts';

const table = tableIds.accessTokens;
const { database } = await openDatabase();

const second = 1_800_000_000;
const at = (seconds: number) => () => seconds * 1000 + 999;
const grant = { owner: 'ann', scopes: allScopes, label: 'her laptop', expires: second + 1000 };
const issue = (more: object = {}) => issueToken(database, table, { ...grant, ...more }, at(second));
const find = (id: string) => findRecord(database, table, id);
const scan = async () => (await database.send(new ScanCommand({ TableName: table }))).Items ?? [];
const remove = (id: string) => database.send(new DeleteCommand({ TableName: table, Key: { id } }));
const revoke = (id: string, now?: () => number) => revokeToken(database, table, id, now);
const rotate = (
  id: string,
  { overlap = 60, lifetime = undefined as Lifetime | undefined, now = second } = {},
) => rotateToken(database, table, id, { overlap, lifetime }, at(now));

/** Changes the input of every command that `run` sends. */
async function changeInput<T>(change: (input: { Item?: object }) => object, run: () => Promise<T>) {
  const name = 'changeInput';
  database.middlewareStack.add(
    (next) => (args) =>
      next({ ...args, input: { ...args.input, ...change(args.input as object) } }),
    { name, step: 'initialize', priority: 'high' },
  );
  return run().finally(() => database.middlewareStack.remove(name));
}

test.each([
  [{}, {}],
  // Without an expiry, the TTL does not delete it.
  [{ expires: undefined }, {}],
  // When the last Date ends.
  [{ expires: 8_640_000_000_000 }, {}],
  [{ scopes: ['plants:read', 'plants:read'] }, { scopes: ['plants:read'] }],
  [{ owner: 'a' }, {}],
  [{ owner: 'A.b_c@d-9' }, {}],
  [{ owner: 'a'.repeat(128) }, {}],
])('issuing %j stores the record with the digest of the token', async (more, instead) => {
  const { id, token, record } = await issue(more);
  const { expires, ...given } = { ...grant, ...more, ...instead };
  const created = { ...given, id, created: second, ...(expires && { expires }) };
  expect(record).toStrictEqual({ ...created, digest: digestToken(token) });
  expect(await find(id)).toStrictEqual({ ...created, digest: new Uint8Array(record.digest) });
});

const badOwner = 'owner must be 1 to 128 letters, digits and . _ @ -';
const badScope = `scopes must be ${allScopes.join(' or ')}`;
const badLabel = 'label must be at most 100 characters without control characters';
test.each([
  ...['Ann Arbor', '', 'a'.repeat(129), 'ann\n'].map((owner) => [{ owner }, badOwner] as const),
  [{ scopes: [] }, 'scopes must be at least one'],
  [{ expires: Number.NaN }, 'expires must be in the future'],
  [{ label: 'x'.repeat(101) }, badLabel],
  [
    { owner: 'a b', scopes: ['plants:all'], label: 'bell \u0007', expires: second },
    `${badOwner}; ${badScope}; ${badLabel}; expires must be in the future`,
  ],
])('issuing %j fails with every error, and stores nothing', async (bad, fault) => {
  const before = (await scan()).length;
  const error = new AdministrationError(`No token was issued: ${fault}.`);
  await expect(issue(bad)).rejects.toThrow(error);
  expect(await scan()).toHaveLength(before);
});

test('a list has all tokens or those of one owner, oldest first', async () => {
  const ids: string[] = [];
  const owned = { ...grant, owner: 'lister' };
  for (const created of [30, 10, 20]) {
    ids.push((await issueToken(database, table, owned, at(created))).id);
  }
  const listed = await listTokens(database, table, 'lister');
  expect(listed.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]]);
  expect(listed[0]).toMatchObject({ ...owned, created: 10 });
  expect(await listTokens(database, table, 'nobody')).toEqual([]);

  const all = await listTokens(database, table);
  expect(all.map(({ id }) => id).sort()).toEqual((await scan()).map(({ id }) => id).sort());
  let pages = 0;
  const limit = () => ({ Limit: pages++ > 0 ? 2 : 1 });
  expect(await changeInput(limit, () => listTokens(database, table))).toEqual(all);
  expect(pages).toBeGreaterThan(2);
});

test('revoking a revoked token changes nothing', async () => {
  const { id } = await issue();
  const revoked = second + 5;
  expect(await revoke(id, at(revoked))).toMatchObject({ id, revoked });
  expect(await revoke(id, at(second + 9))).toMatchObject({ id, revoked });
  expect(await find(id)).toMatchObject({ ...grant, revoked });
});

test.each([
  ['that expires later', second + 1000, 60, second + 60],
  ['that expires before the overlap ends', second + 30, 60, second + 30],
  ['that never expires', undefined, 60, second + 60],
  ['at once', undefined, 0, second],
])(
  'rotating a token %s issues one with the same access, and the old one expires in time',
  async (_, expires, overlap, end) => {
    const old = await issue({ scopes: ['plants:read'], label: 'ci', expires });
    const renewed = { expires: second + 9000 };
    const { id, token, record, replaced } = await rotate(old.id, { overlap, lifetime: 9000 });
    expect(id).not.toBe(old.id);
    expect(record).toEqual({ ...old.record, id, digest: digestToken(token), ...renewed });
    const stored = { ...old.record, digest: new Uint8Array(old.record.digest) };
    expect(replaced).toEqual({ ...stored, expires: end, replacedBy: id });
    expect(await find(old.id)).toEqual(replaced);
    expect(await find(id)).toMatchObject({ id, owner: 'ann', ...renewed });
  },
);

test.each<[string, number | undefined, Lifetime | undefined, number | undefined]>([
  ['of 1000 s has 1000 s again', second + 1000, undefined, second + 1400],
  ['that never expires never expires', undefined, undefined, undefined],
  ['of 1000 s never expires if so asked', second + 1000, 'never', undefined],
  ['that never expires has the lifetime that is asked for', undefined, 30, second + 430],
])('a rotated token %s', async (_, expires, lifetime, end) => {
  const { id } = await issue({ expires });
  const { record } = await rotate(id, { lifetime, now: second + 400 });
  expect([record.created, record.expires]).toEqual([second + 400, end]);
});

test('a token that was created after it expires is not rotated, and none is issued', async () => {
  const { id, record } = await issue();
  const times = { created: second + 500, expires: second + 400 };
  await database.send(new PutCommand({ TableName: table, Item: { ...record, ...times } }));
  const before = await scan();
  const message =
    `No token was issued: expires must be in the future, but the token ${id} was created after ` +
    'it expires. Choose a lifetime with --expires-in.';
  await expect(rotate(id)).rejects.toThrow(new AdministrationError(message));
  expect(await scan()).toEqual(before);
  expect((await rotate(id, { lifetime: 60 })).record).toMatchObject({ expires: second + 60 });
});

const unknown = 'There is no token ID. Run "list" to see the ids.';
const describeEnd = (status: string) => `The token ID is ${status}. Issue a new one instead.`;
test.each<[string, (id: string) => Promise<unknown>, number, string]>([
  ['unknown', remove, second, unknown],
  ['revoked', revoke, second, describeEnd('revoked')],
  ['expired', async () => {}, second + 1000, describeEnd('expired')],
  [
    'revoked and rotated',
    (id) => rotate(id).then(() => revoke(id)),
    second,
    describeEnd('revoked'),
  ],
])('a token that is %s is not rotated, and none is issued', async (_, happens, now, message) => {
  const { id } = await issue();
  await happens(id);
  const before = await scan();
  const error = new AdministrationError(message.replace('ID', id));
  await expect(rotate(id, { now })).rejects.toThrow(error);
  if (message.startsWith('There')) {
    await expect(revoke(id)).rejects.toThrow(error);
  }
  expect(await scan()).toEqual(before);
});

test('a rotation keeps a scope that this version does not know', async () => {
  const { id, record } = await issue();
  const scopes = ['plants:read', 'gardens:read'];
  await database.send(new PutCommand({ TableName: table, Item: { ...record, scopes } }));
  expect((await rotate(id)).record.scopes).toEqual(scopes);
});

test('of ten concurrent rotations one succeeds, and the others name its new token', async () => {
  const { id } = await issue();
  const before = (await scan()).length;
  const rotations = await Promise.allSettled(Array.from({ length: 10 }, () => rotate(id)));
  const [winner = '', ...more] = rotations.flatMap((one) =>
    one.status === 'fulfilled' ? one.value.id : [],
  );
  expect(more).toEqual([]);
  const reasons = rotations.flatMap((one) => (one.status === 'rejected' ? one.reason : []));
  const told = new AdministrationError(
    `The token ${id} was already replaced by ${winner}. Rotate that one. ` +
      'If it is lost, revoke it and issue a new one.',
  );
  expect(reasons).toEqual(Array(9).fill(told));
  await expect(rotate(id)).rejects.toThrow(told);
  expect(await scan()).toHaveLength(before + 1);
  expect(await find(id)).toMatchObject({ replacedBy: winner });
  expect((await rotate(winner)).replaced).toMatchObject({ id: winner });
});

test('issuing a token with a taken id fails and overwrites nothing', async () => {
  const { id } = await issue();
  const bystander = await find(id);
  const collide = ({ Item }: { Item?: object }) => (Item ? { Item: { ...Item, id } } : {});
  const collision = changeInput(collide, () => issue({ owner: 'other' }));
  await expect(collision).rejects.toThrow(ConditionalCheckFailedException);
  expect(await find(id)).toEqual(bystander);
});

test('a record without a readable owner is listed last, for every owner', async () => {
  const { id } = await issueToken(database, table, { ...grant, owner: 'last' }, at(second));
  const Item = { id: 'damaged', owner: 7 };
  await database.send(new PutCommand({ TableName: table, Item }));
  const listed = await listTokens(database, table, 'last');
  expect(listed.map((token) => token.id)).toEqual([id, 'damaged']);
  await remove('damaged');
});

const time = 'must be whole seconds since 1970';
const seconds = (text: string) => NumberValue.from(text);
const { record: complete } = await issue();
test.each([
  ['digest must be 32 bytes', { digest: Buffer.from('QUOTED') }],
  ['digest must be 32 bytes', { digest: 'QUOTED' }],
  ['digest is missing', { digest: undefined }],
  ['scopes must be text', { scopes: [['QUOTED']] }],
  ['scopes must be a list', { scopes: 'QUOTED' }],
  [badOwner, { owner: '' }],
  ['owner must be text', { owner: ['QUOTED'] }],
  ['label must be text', { label: ['QUOTED'] }],
  [`expires ${time}`, { expires: 'QUOTED' }],
  [`created ${time}`, { created: 'QUOTED' }],
  [`expires ${time}`, { expires: seconds('1800000000000000') }],
  [`expires ${time}`, { expires: seconds('8640000000001') }],
  [`created ${time}`, { created: seconds('-1') }],
  [`created ${time}`, { created: seconds('1.5') }],
  [`revoked ${time}`, { revoked: seconds('1152921504606846976') }],
  ['replacedBy must be text', { replacedBy: ['QUOTED'] }],
])('the error of a damaged record is: %s', (message, damage) => {
  const item = { ...complete, created: seconds('1'), expires: undefined, ...damage };
  const present = Object.entries(item).filter(([, value]) => value !== undefined);
  const sentence = `The record of the access token ${complete.id} is invalid: ${message}.`;
  expect(() => parseRecord(Object.fromEntries(present))).toThrow(new Error(sentence));
});

test('a damaged record is listed with its damage, and is not rotated', async () => {
  const { id, record } = await issue();
  const Item = { ...record, digest: 'short' };
  await database.send(new PutCommand({ TableName: table, Item }));
  const fault = `The record of the access token ${id} is invalid: digest must be 32 bytes.`;
  const listed = await listTokens(database, table);
  expect(listed.at(-1)).toEqual({ id, owner: 'ann', fault });
  const before = await scan();
  const refusal = new AdministrationError(`${fault} Revoke it and issue a new one.`);
  await expect(rotate(id)).rejects.toThrow(refusal);
  expect(await scan()).toEqual(before);
  await remove(id);
});
