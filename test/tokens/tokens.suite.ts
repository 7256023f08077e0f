import { GetCommand, NumberValue, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, jest, test } from '@jest/globals';
import { authorize } from '../../functions/access-tokens/authorizer.ts';
import { findItem } from '../../functions/access-tokens/record.ts';
import { digestToken } from '../../functions/access-tokens/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { type AccessTokenRecord, type Lifetime, parseRecord } from '../../lib/tokens/record.ts';
import {
  AdministrationError,
  deleteToken,
  type IssuedToken,
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
} from '../../lib/tokens/tokens.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { openDatabase } from '../support/database/engine.ts';
import { tokenEvent } from '../support/service/proxy-event.ts';

const table = tableIds.accessTokens;
const { database } = await openDatabase();
afterEach(() => {
  jest.restoreAllMocks();
});

const second = 1_800_000_000;
const at = (seconds: number) => () => seconds * 1000 + 999;
const newToken = { owner: 'ann', scopes: allScopes, label: 'her laptop', lifetime: 1000 };
const issue = (more: object = {}) =>
  issueToken(database, table, { ...newToken, ...more }, at(second));
const find = (id: string) => findRecord(database, table, id);
const put = (Item: object) =>
  database.send(new PutCommand({ TableName: table, Item: { ...Item } }));
const remove = (id: string) => deleteToken(database, table, id);
const revoke = (id: string, now?: () => number) => revokeToken(database, table, id, now);

/** Rotates a token. Returns the end of the old token, and the records of both. */
async function rotate(
  id: string,
  {
    overlap = 60,
    lifetime,
    now = second,
  }: { overlap?: number; lifetime?: Lifetime; now?: number } = {},
) {
  const shown: IssuedToken[] = [];
  const show = async (issued: IssuedToken) => void shown.push(issued);
  const end = await rotateToken(database, table, id, { overlap, lifetime, show }, at(now));
  return { end, old: await find(id), next: await find(shown[0]?.id ?? '') };
}

test.each([
  [{}, { expires: second + 1000 }],
  [{ lifetime: 1 }, { expires: second + 1 }],
  [{ lifetime: 'never' }, {}],
  [{ scopes: ['plants:read', 'plants:read'] }, { scopes: ['plants:read'], expires: second + 1000 }],
  [{ owner: 'A.b_c@d-9' }, { expires: second + 1000 }],
  [{ owner: 'a'.repeat(128) }, { expires: second + 1000 }],
])('issuing %j stores the record with the digest of the token', async (more, stored) => {
  const { id, token, record } = await issue(more);
  const all = { ...newToken, ...more, id, created: second, ...stored };
  expect(record).toStrictEqual({ ...all, digest: digestToken(token) });
  expect(await find(id)).toStrictEqual({ ...all, digest: new Uint8Array(record.digest) });
});

const badOwner = 'owner must be 1 to 128 letters, digits and . _ @ -';
const badLifetime = 'lifetime must be whole seconds, at least 1, or never';
const badLabel = 'label must be at most 100 characters without control characters';
test.each([
  ...['Ann Arbor', '', 'a'.repeat(129), 'ann\n'].map((owner) => [{ owner }, badOwner] as const),
  ...[0, 1.5, Number.NaN, 'forever'].map((lifetime) => [{ lifetime }, badLifetime] as const),
  [{ label: 'x'.repeat(101) }, badLabel],
  [
    { owner: 'a b', scopes: [], label: 'bell \u0007', lifetime: -1 },
    `${badOwner}; scopes must be at least one; ${badLabel}; ${badLifetime}`,
  ],
])('issuing %j fails with every error, and sends nothing', async (bad, fault) => {
  const send = jest.spyOn(database, 'send');
  const error = new AdministrationError(`No token was issued: ${fault}.`);
  await expect(issue(bad)).rejects.toThrow(error);
  expect(send).not.toHaveBeenCalled();
});

test('a list has all tokens or those of one owner, oldest first, then in order of ids', async () => {
  const ids: string[] = [];
  const owned = { ...newToken, owner: 'lister' };
  for (const created of [30, 10, 20, 20, 20, 20, 20]) {
    ids.push((await issueToken(database, table, owned, at(created))).id);
  }
  const listed = await listTokens(database, table, 'lister');
  expect(listed.map(({ id }) => id)).toEqual([ids[1], ...ids.slice(2).sort(), ids[0]]);
  expect(listed[0]).toMatchObject({ kind: 'whole', record: { ...owned, created: 10 } });
  expect(await listTokens(database, table, 'nobody')).toEqual([]);

  const all = await listTokens(database, table);
  const { Items = [] } = await database.send(new ScanCommand({ TableName: table }));
  expect(all.map(({ id }) => id).sort()).toEqual(Items.map(({ id }) => id).sort());
  const send = database.send.bind(database) as (command: object) => never;
  const sent = jest.spyOn(database, 'send').mockImplementation((command) => {
    Object.assign(command.input, { Limit: 2 });
    return send(command);
  });
  expect(await listTokens(database, table)).toEqual(all);
  expect(sent.mock.calls.length).toBeGreaterThan(2);
});

test.each<[string, Lifetime, number, number]>([
  ['that expires later', 1000, 60, second + 60],
  ['that expires before the overlap ends', 30, 60, second + 30],
  ['that never expires', 'never', 60, second + 60],
  ['without an overlap', 1000, 0, second],
])('rotating a token %s issues one like it, and the old one ends in time', async (_, ...times) => {
  const [lifetime, overlap, end] = times;
  const scopes = ['plants:read', 'a scope of a later version'];
  const { record } = await issue({ scopes, lifetime });
  const rotated = await rotate(record.id, { overlap });
  const bytes = expect.any(Uint8Array);
  expect(rotated).toEqual({
    end,
    old: { ...record, digest: bytes, expires: end },
    next: { ...record, digest: bytes, id: expect.stringMatching(/^\w{12}$/) },
  });
  expect(rotated.next?.id).not.toBe(record.id);
});

test.each<[string, Lifetime, Lifetime | undefined, Lifetime]>([
  ['its lifetime', 1000, undefined, 1000],
  ['no end if it never expires', 'never', undefined, 'never'],
  ['the lifetime that is asked for', 1000, 30, 30],
  ['no end if that is asked for', 1000, 'never', 'never'],
])('a token passes on %s, also in a second rotation', async (_, first, asked, lifetime) => {
  const { id } = await issue({ lifetime: first });
  for (const now of [second + 400, second + 401]) {
    const { next } = await rotate(id, { ...(asked && { lifetime: asked }), now });
    const expires = lifetime === 'never' ? undefined : now + lifetime;
    expect([next?.lifetime, next?.expires]).toEqual([lifetime, expires]);
  }
});

test.each<[string, object, Lifetime]>([
  ['its expires minus its created', { expires: second + 900 }, 900],
  ['never if it has no expires', {}, 'never'],
])('a token of version 1.0.0 passes on a lifetime of %s', async (_, more, lifetime) => {
  const { id, record } = await issue();
  const { lifetime: __, expires: ___, ...former } = record;
  await put({ ...former, ...more, replacedBy: 'Zk3v9QeXb2Lr' });
  expect((await rotate(id)).next?.lifetime).toBe(lifetime);
});

const unknown = 'There is no token ID. Run "list" to see the ids.';
const describeEnd = (status: string) => `The token ID is ${status}. Issue a new one instead.`;
const isDamaged =
  'The record of the access token ID is invalid: label must be text. Revoke it and issue a new one.';
const isInconsistent = 'No token was issued: lifetime must be whole seconds, at least 1, or never.';
test.each<[string, (record: AccessTokenRecord) => Promise<unknown>, string]>([
  ['unknown', ({ id }) => remove(id), unknown],
  ['revoked', ({ id }) => revoke(id), describeEnd('revoked')],
  ['expired', (record) => put({ ...record, expires: second }), describeEnd('expired')],
  ['damaged', (record) => put({ ...record, label: 7 }), isDamaged],
  [
    'of version 1.0.0, and created after it expires',
    ({ lifetime: _, ...record }) => put({ ...record, created: second + 2000 }),
    isInconsistent,
  ],
])('a token that is %s is not rotated, and none is issued', async (_, happens, message) => {
  const { id, record } = await issue();
  await happens(record);
  const send = jest.spyOn(database, 'send');
  await expect(rotate(id)).rejects.toThrow(new AdministrationError(message.replace('ID', id)));
  expect(send.mock.calls).toEqual([[expect.any(GetCommand), {}]]);
});

test('a record without a readable owner is listed last, for every owner', async () => {
  const { id } = await issueToken(database, table, { ...newToken, owner: 'last' }, at(second));
  await put({ id: 'damaged', owner: 7 });
  const listed = await listTokens(database, table, 'last');
  expect(listed.map((token) => token.id)).toEqual([id, 'damaged']);
  await remove('damaged');
});

const time = 'must be whole seconds since 1970';
const seconds = (text: string) => NumberValue.from(text);
const { token: whole, record: complete } = await issue({ owner: 'dora' });
test.each([
  ['digest must be 32 bytes', { digest: Buffer.from('QUOTED') }],
  ['digest is missing', { digest: undefined }],
  ['scopes must be text', { scopes: [['QUOTED']] }],
  ['scopes must be a list', { scopes: 'QUOTED' }],
  [badOwner, { owner: '' }],
  ['owner must be text', { owner: ['QUOTED'] }],
  [`expires ${time}`, { expires: 'QUOTED' }],
  [`expires ${time}`, { expires: seconds('8640000000001') }],
  [`created ${time}`, { created: seconds('-1') }],
  [`created ${time}`, { created: seconds('1.5') }],
  [`revoked ${time}`, { revoked: seconds('1152921504606846976') }],
  [badLifetime, { lifetime: seconds('1.5') }],
])('the error of a damaged record is: %s', (message, damage) => {
  const item = { ...complete, created: seconds('1'), expires: undefined, ...damage };
  const present = Object.entries(item).filter(([, value]) => value !== undefined);
  const sentence = `The record of the access token ${complete.id} is invalid: ${message}.`;
  expect(() => parseRecord(Object.fromEntries(present))).toThrow(new Error(sentence));
});

test('a record can have the first second of 1970, and the last that a Date holds', () => {
  const times = { created: seconds('0'), expires: seconds('8640000000000') };
  const expected = { created: 0, expires: 8_640_000_000_000 };
  expect(parseRecord({ ...complete, ...times })).toMatchObject(expected);
});

const damaged = { kind: 'damaged', id: complete.id, owner: 'dora' };
const access = { owner: 'dora', scopes: allScopes, expires: second + 1000 };
test.each([
  {
    title: 'members of a later version is active',
    damage: { label: ['ours', 'theirs'], created: '2027-01-15', lifetime: 'P90D' },
    listed: { ...damaged, status: 'active', access },
    error: `label must be text; created ${time}; ${badLifetime}`,
  },
  {
    title: 'a damaged label and an end in the past is expired',
    damage: { label: 7, expires: second },
    listed: { ...damaged, status: 'expired', access: { ...access, expires: second } },
    error: 'label must be text',
  },
  {
    title: 'a damaged end is unreadable',
    damage: { expires: 'soon' },
    listed: { kind: 'unreadable', id: complete.id, owner: 'dora' },
    error: `expires ${time}`,
  },
])('a record with $title in the list and for the authorizer', async ({ damage, ...expected }) => {
  await put({ ...complete, ...damage });
  const [token] = await listTokens(database, table, 'dora', at(second));
  const error = `The record of the access token ${complete.id} is invalid: ${expected.error}.`;
  expect(token).toStrictEqual({ ...expected.listed, error });
  jest.spyOn(console, 'info').mockReturnValue();
  const find = (id: string) => findItem(database, table, id);
  const [verdict] = await Promise.allSettled([
    authorize(tokenEvent(`Bearer ${whole}`), find, at(second)),
  ]);
  const isActive = token?.kind !== 'unreadable' && token?.status === 'active';
  expect(verdict?.status === 'fulfilled').toBe(isActive);
});
