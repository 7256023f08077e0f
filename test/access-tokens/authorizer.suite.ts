import crypto from 'node:crypto';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { forge } from '../support/access-tokens/forge.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { findSecrets } from '../support/access-tokens/secrets.ts';
import { lines } from '../support/captured-log.ts';
import { tokenEvent } from '../support/service/proxy-event.ts';
import { published } from '../support/service/published.ts';

/** The steps of a call: look-ups, digests, comparisons. A clock would be less exact. */
let work: string[] = [];
function note<T>(step: string, result: T): T {
  work.push(step);
  return result;
}

const randomBytes = jest.fn((count: number) => crypto.randomBytes(count));
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  randomBytes,
  createHash: (algorithm: string) => note(`digest by ${algorithm}`, crypto.createHash(algorithm)),
  timingSafeEqual: (one: Buffer, other: Buffer) =>
    note(`compare ${one.length} with ${other.length} bytes`, crypto.timingSafeEqual(one, other)),
}));
const { authorize, Unauthorized } = await import('../../functions/access-tokens/authorizer.ts');
const { computeChecksum, digestToken, findTokenId } = await import(
  '../../functions/access-tokens/token.ts'
);
const { makeToken } = await import('../../lib/tokens/make-token.ts');

const fullWork = ['look up', 'digest by sha256', 'compare 32 with 32 bytes'];

test('a new token has an id, a secret of all 256 random bits, and a checksum', () => {
  const ones = (count: number) => Buffer.alloc(count, 0xff);
  randomBytes.mockImplementationOnce(ones).mockImplementationOnce(ones);
  const { id, token } = makeToken();
  expect(token).toBe(forge('lk9n8mt7Fhc7', 'yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1'));
  expect(randomBytes.mock.calls.slice(-2)).toEqual([[16], [32]]);
  expect([id, findTokenId(token)]).toEqual(['lk9n8mt7Fhc7', id]);
});

test('a checksum is a CRC-32 in six digits of base62', () => {
  // The check value of CRC-32, 0xCBF43926.
  expect(computeChecksum('123456789')).toBe('3jZRME');
});

test('a longer text than a token has no id, despite a right checksum', () => {
  expect(findTokenId(forge('0'.repeat(12), '0'.repeat(44)))).toBeUndefined();
  expect(findTokenId(`x${forge()}`)).toBeUndefined();
});

const known = 'pst_0123456789AB_ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkj123456';
const other = 'pst_BA9876543210_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ654321';
test.each([
  ['a half from the middle of a secret', 'PONMLKJIHGFEDCBAzyxwv'],
  ['the second half with the checksum', 'xwvutsrqponmlkj123456'],
  ['a header in base64', Buffer.from(`Bearer ${known}`).toString('base64')],
])('the leak scan finds %s, and ignores ids and other secrets', (_, leak) => {
  const texts = ['pst_0123456789AB_', other, `{"leak":"${leak}"}`];
  expect(findSecrets(texts, [known])).toEqual([`0123456789AB in ${texts[2]}`]);
});

/** Returns a time as a document client reads it. */
const time = (seconds: number) => NumberValue.from(seconds);

const issue = (more: object = {}) => {
  const { id, token } = makeToken();
  const item = {
    id,
    digest: digestToken(token),
    owner: 'ann',
    scopes: ['plants:read'],
    label: '',
    created: time(1),
    ...more,
  };
  const find = async (sought: string) => note('look up', sought === id ? item : undefined);
  return { id, token, item, find };
};

test('an accepted token returns its owner, id and end, and nothing else', async () => {
  const { id, token, find } = issue({ expires: time(4_102_444_800) });
  work = [];
  const { principalId, context } = await authorize(tokenEvent(`Bearer ${token}`), find);
  expect(principalId).toBe('ann');
  expect(context).toEqual({ owner: 'ann', tokenId: id, expires: '2100-01-01T00:00:00Z' });
  expect(lines).toEqual([{ code: 'TOKEN_ACCEPTED', tokenId: id, owner: 'ann' }]);
  expect(work).toEqual(fullWork);
});

const requests = [
  { api: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1', call: 'GET/plants' },
  { api: 'arn:aws-cn:execute-api:cn-north-1:1:x/v2', call: 'DELETE/plants/a/b' },
];
const requestPolicy = async (scopes: string[], methodArn: string) => {
  const { token, find } = issue({ scopes });
  const event = { ...tokenEvent(`Bearer ${token}`), methodArn };
  return (await authorize(event, find)).policyDocument;
};
test.each([
  // A later version may know the second scope.
  [['plants:read', 'gardens:read']],
  [['plants:write']],
  [['plants:read', 'plants:write']],
])(
  'whatever the call, the policy of %j allows the operations with these scopes',
  async (scopes) => {
    const allowed = Object.values(published)
      .filter(({ scope }) => scopes.includes(scope))
      .map(({ route }) => route.replace(' ', '').replace(/\{\w+\}/g, '*'));
    for (const { api, call } of requests) {
      const Resource = allowed.flatMap((pattern) => [`${api}/${pattern}`, `${api}/${pattern}/`]);
      expect(await requestPolicy(scopes, `${api}/${call}`)).toEqual({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource }],
      });
    }
  },
);

test.each([[[]], [['gardens:write']]])(
  'the policy of the scopes %j denies everything',
  async (scopes) => {
    for (const { api, call } of requests) {
      expect((await requestPolicy(scopes, `${api}/${call}`)).Statement).toEqual([
        { Effect: 'Deny', Action: 'execute-api:Invoke', Resource: [`${api}/*`] },
      ]);
    }
  },
);

test('a token is accepted before it expires, unless that passes during its look-up', async () => {
  const { token, item } = issue({ expires: time(1_800_000_000) });
  const judge = (lookUpMs: number) => {
    let now = 1_799_999_999_999;
    const find = async () => {
      now += lookUpMs;
      return item;
    };
    return authorize(tokenEvent(`Bearer ${token}`), find, () => now);
  };
  await expect(judge(0)).resolves.toBeDefined();
  await expect(judge(1)).rejects.toThrow(Unauthorized);
});

const damagedAccess = [
  { title: 'owner', access: { owner: 7 } },
  { title: 'scopes', access: { scopes: 'plants:read' } },
  { title: 'expires', access: { expires: time(1_800_000_000_000_000) } },
  { title: 'revoked', access: { revoked: 'yes' } },
];
test.each(damagedAccess)(
  'a record whose $title is damaged is an error other than Unauthorized, but not for a wrong secret',
  async ({ title, access }) => {
    const { id, token, find } = issue(access);
    const judged = authorize(tokenEvent(`Bearer ${token}`), find);
    await expect(judged).rejects.toThrow(
      `The record of the access token ${id} is invalid: ${title}`,
    );
    expect(lines).toEqual([]);

    const wrong = authorize(tokenEvent(`Bearer ${forge(id)}`), find);
    await expect(wrong).rejects.toThrow(Unauthorized);
    expect(lines).toEqual([{ code: 'TOKEN_REFUSED', reason: 'wrong', tokenId: id }]);
  },
);

const badDigests = [
  { title: 'is missing', stored: undefined },
  { title: 'is text', stored: 'x'.repeat(32) },
  { title: 'has 31 bytes', stored: Buffer.alloc(31) },
  { title: 'has 33 bytes', stored: Buffer.alloc(33) },
];
test.each(badDigests)('a record whose digest $title rejects every token', async ({ stored }) => {
  const { id, token, find } = issue({ digest: stored });
  work = [];
  const judged = authorize(tokenEvent(`Bearer ${token}`), find);
  await expect(judged).rejects.toThrow(Unauthorized);
  expect(work).toEqual(fullWork);
  expect(lines).toEqual([{ code: 'TOKEN_REFUSED', reason: 'damaged', tokenId: id }]);
});

const active = issue();
const revoked = issue({ revoked: time(2) });
const expired = issue({ expires: time(2) });
const revokedAndExpired = issue({ revoked: time(2), expires: time(2) });
const items = new Map(
  [active, revoked, expired, revokedAndExpired].map(({ id, item }) => [id, item]),
);
const mistyped = active.token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
const { secret } = splitToken(active.token);
const wrongAtEnd = secret.slice(0, 42) + (secret[42] === '0' ? '1' : '0');

const malformedTexts = [
  ...['', 'Bearer', 'TOKEN', 'Bearer\tTOKEN', 'Bearer TOKEN TOKEN', 'Basic TOKEN'],
  ...[' Bearer TOKEN', 'Bearer TOKEN\n'],
  // The first letter is Cyrillic.
  'Вearer TOKEN',
];
const malformed = malformedTexts.map((shape) => ({
  title: `the header ${JSON.stringify(shape)}`,
  header: shape.replaceAll('TOKEN', active.token),
  reason: 'malformed',
}));
const wellFormed = [
  { title: 'a mistyped token', token: mistyped, reason: 'mistyped' },
  { title: 'an unknown id', token: forge(), reason: 'unknown' },
  { title: 'a wrong secret', token: forge(active.id), reason: 'wrong' },
  { title: 'a secret with a wrong end', token: forge(active.id, wrongAtEnd), reason: 'wrong' },
  { title: 'a wrong secret of a revoked token', token: forge(revoked.id), reason: 'wrong' },
  { title: 'a revoked token', token: revoked.token, reason: 'revoked' },
  { title: 'an expired token', token: expired.token, reason: 'expired' },
  { title: 'a revoked and expired token', token: revokedAndExpired.token, reason: 'revoked' },
].map(({ token, ...one }) => ({ ...one, header: `Bearer ${token}` }));

// Every rejection is the same error. Only the log has the reason.
test.each([...malformed, ...wellFormed])(
  '$title is rejected, and the log has the reason $reason',
  async ({ header, reason }) => {
    work = [];
    const find = async (id: string) => note('look up', items.get(id));
    const error: unknown = await authorize(tokenEvent(header), find).catch((thrown) => thrown);
    // A token with the right checksum is looked up, and then takes the same steps in any case.
    expect(work).toEqual(['malformed', 'mistyped'].includes(reason) ? [] : fullWork);
    expect(error).toBeInstanceOf(Unauthorized);
    const { message, stack } = error as Error;
    // Lambda logs the stack.
    expect({ ...(error as Error), message, stack }).toEqual({ message: 'Unauthorized', stack: '' });
    expect(lines).toEqual([expect.objectContaining({ code: 'TOKEN_REFUSED', reason })]);
  },
);
