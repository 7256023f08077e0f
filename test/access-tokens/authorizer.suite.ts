import crypto from 'node:crypto';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { accessTokenPattern } from '../../functions/shared/token-form.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { findSecrets } from '../support/access-tokens/secrets.ts';
import { badShapes } from '../support/access-tokens/shapes.ts';
import { tokenEvent } from '../support/service/proxy-event.ts';
import { published } from '../support/service/published.ts';

/** The steps of a call: look-ups, digests, comparisons, log lines. A clock would be less exact. */
let work: string[] = [];
function note<T>(step: string, result: T): T {
  work.push(step);
  return result;
}

/** The only random bit that is set, if a test chooses one, and the number of bits so far. */
let bitToSet: number | undefined;
let bits = 0;
function randomBytes(count: number): Buffer {
  if (bitToSet === undefined) {
    return crypto.randomBytes(count);
  }
  const bytes = Buffer.alloc(count);
  const place = bitToSet - bits;
  if (place >= 0 && place < count * 8) {
    bytes[place >> 3] = 1 << (place & 7);
  }
  bits += count * 8;
  return bytes;
}

jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  randomBytes,
  createHash: (algorithm: string) => note(`digest by ${algorithm}`, crypto.createHash(algorithm)),
  timingSafeEqual: (one: Buffer, other: Buffer) =>
    note(`compare ${one.length} with ${other.length} bytes`, crypto.timingSafeEqual(one, other)),
}));
const { authorize, Unauthorized } = await import('../../functions/access-tokens/authorizer.ts');
const { digestToken, findTokenId } = await import('../../functions/access-tokens/token.ts');
const { makeToken } = await import('../../lib/tokens/make-token.ts');

const fullWork = ['look up', 'digest by sha256', 'compare 32 with 32 bytes', 'log'];
const { info } = console;
let log: Record<string, unknown>[];
beforeEach(() => {
  log = [];
  console.info = (line) => note('log', log.push(line));
});
afterEach(() => {
  console.info = info;
  bitToSet = undefined;
});

test('a new token is pst_, its id, a secret and a checksum', () => {
  const { id, token } = makeToken();
  expect(token).toMatch(/^pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
  expect(findTokenId(token)).toBe(id);
  expect(token.split('_')[1]).toBe(id);
});

test('a token with a part of another length has no id, despite a right checksum', () => {
  for (const id of ['0'.repeat(11), '0'.repeat(13)]) {
    expect(findTokenId(forge(id))).toBeUndefined();
  }
  for (const secret of ['', '0'.repeat(42), '0'.repeat(44)]) {
    expect(findTokenId(forge('0'.repeat(12), secret))).toBeUndefined();
  }
});

test('each of 256 random bits changes the secret, and each of 128 others the id', () => {
  const makeWith = (bit: number) => {
    bitToSet = bit;
    bits = 0;
    const { id, secret } = splitToken(makeToken().token);
    return `${id}_${secret.slice(0, 43)}`;
  };
  expect([makeWith(-1), bits]).toEqual([`${'0'.repeat(12)}_${'0'.repeat(43)}`, 384]);
  const made = Array.from({ length: bits }, (_, bit) => makeWith(bit).split('_'));
  expect(new Set(made.map(([id]) => id)).size).toBe(1 + 128);
  expect(new Set(made.map(([, secret]) => secret)).size).toBe(1 + 256);
});

test('the pattern finds whole tokens in any text', () => {
  const { token } = makeToken();
  const found = `curl -H "Authorization: Bearer ${token}" # ${token}, and pst_ alone`.match(
    new RegExp(accessTokenPattern, 'g'),
  );
  expect(found).toEqual([token, token]);
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

test('an accepted token returns its owner and id, and nothing else', async () => {
  const { id, token, find } = issue();
  work = [];
  const { principalId, context } = await authorize(tokenEvent(`Bearer ${token}`), find);
  expect(principalId).toBe('ann');
  expect(context).toEqual({ owner: 'ann', tokenId: id });
  expect(log).toEqual([{ code: 'TOKEN_ACCEPTED', tokenId: id, owner: 'ann' }]);
  expect(work).toEqual(fullWork);
});

test.each([
  { ends: time(4_102_444_800), expires: '2100-01-01T00:00:00Z' },
  { ends: undefined, expires: undefined },
])('a token that ends at $ends returns "$expires"', async ({ ends, expires }) => {
  const { token, find } = issue({ expires: ends });
  const { context } = await authorize(tokenEvent(`Bearer ${token}`), find);
  expect(context?.expires).toBe(expires);
});

const apis = [
  'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1',
  'arn:aws-cn:execute-api:cn-north-1:1:x/v2',
];
const calls = [
  'GET/plants',
  'POST/plants',
  'DELETE/plants/7',
  'DELETE/plants/a/b',
  'GET/',
  'PATCH/*',
];
const requestPolicy = async (scopes: string[], methodArn: string) => {
  const { token, find } = issue({ scopes });
  const event = { ...tokenEvent(`Bearer ${token}`), methodArn };
  return (await authorize(event, find)).policyDocument;
};
test.each([
  [['plants:read']],
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
    for (const api of apis) {
      const Resource = allowed.flatMap((call) => [`${api}/${call}`, `${api}/${call}/`]);
      for (const call of calls) {
        expect(await requestPolicy(scopes, `${api}/${call}`)).toEqual({
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource }],
        });
      }
    }
  },
);

test.each([[[]], [['gardens:write']]])(
  'the policy of the scopes %j denies everything',
  async (scopes) => {
    for (const api of apis) {
      expect((await requestPolicy(scopes, `${api}/GET/plants`)).Statement).toEqual([
        { Effect: 'Deny', Action: 'execute-api:Invoke', Resource: [`${api}/*`] },
      ]);
    }
  },
);

const lastSecond = 1_800_000_000;
const judgeAt = (now: number) => {
  const { token, find } = issue({ expires: time(lastSecond) });
  return authorize(tokenEvent(`Bearer ${token}`), find, () => now);
};
test('a token is accepted until the millisecond before it expires', async () => {
  await expect(judgeAt(lastSecond * 1000 - 1)).resolves.toBeDefined();
  await expect(judgeAt(lastSecond * 1000)).rejects.toThrow(Unauthorized);
});

test('a token that expires during the look-up is rejected', async () => {
  let now = lastSecond * 1000 - 1;
  const { token, item } = issue({ expires: time(lastSecond) });
  const slowly = async () => {
    now += 1;
    return item;
  };
  const judged = authorize(tokenEvent(`Bearer ${token}`), slowly, () => now);
  await expect(judged).rejects.toThrow(Unauthorized);
});

test('a token is accepted whatever a later version stores besides its access', async () => {
  const later = { label: 'x'.repeat(500), created: '2027-01-01', replacedBy: 7, digests: [] };
  const { id, token, find } = issue(later);
  const { context } = await authorize(tokenEvent(`Bearer ${token}`), find);
  expect(context).toEqual({ owner: 'ann', tokenId: id });
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
    expect(log).toEqual([]);

    const wrong = authorize(tokenEvent(`Bearer ${forge(id)}`), find);
    await expect(wrong).rejects.toThrow(Unauthorized);
    expect(log).toEqual([{ code: 'TOKEN_REFUSED', reason: 'wrong', tokenId: id }]);
  },
);

const badDigests = [
  { title: 'is missing', stored: undefined },
  { title: 'is text', stored: 'x'.repeat(32) },
  { title: 'has 31 bytes', stored: Buffer.alloc(31) },
  { title: 'has 33 bytes', stored: Buffer.alloc(33) },
  { title: 'has no bytes', stored: Buffer.alloc(0) },
];
test.each(badDigests)('a record whose digest $title rejects every token', async ({ stored }) => {
  const { id, token, find } = issue({ digest: stored });
  work = [];
  const judged = authorize(tokenEvent(`Bearer ${token}`), find);
  await expect(judged).rejects.toThrow(Unauthorized);
  expect(work).toEqual(fullWork);
  expect(log).toEqual([{ code: 'TOKEN_REFUSED', reason: 'damaged', tokenId: id }]);
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
  ...badShapes,
  // HTTP drops these blanks.
  ' Bearer TOKEN',
  'Bearer TOKEN ',
  'Bearer TOKEN\n',
  'Bearer TOKEN\nBearer TOKEN',
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
  { title: 'a wrong secret of an expired token', token: forge(expired.id), reason: 'wrong' },
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
    expect(work).toEqual(['malformed', 'mistyped'].includes(reason) ? ['log'] : fullWork);
    expect(error).toBeInstanceOf(Unauthorized);
    const { message, stack } = error as Error;
    // Lambda logs the stack.
    expect({ ...(error as Error), message, stack }).toEqual({ message: 'Unauthorized', stack: '' });
    expect(log).toEqual([expect.objectContaining({ code: 'TOKEN_REFUSED', reason })]);
  },
);
