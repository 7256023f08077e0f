import crypto from 'node:crypto';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { AccessTokenRecord } from '../../functions/access-tokens/record.ts';
import type { Scope } from '../../functions/shared/operations.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { badShapes } from '../support/access-tokens/shapes.ts';
import { fillPath } from '../support/fill-path.ts';
import { pinnedOperations } from '../support/pinned-operations.ts';

/** The steps of a verdict: look-ups, digests, comparisons, log lines. A clock would tell less. */
let work: string[] = [];
function noted<T>(step: string, result: T): T {
  work.push(step);
  return result;
}
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  createHash: (algorithm: string) => noted(`digest by ${algorithm}`, crypto.createHash(algorithm)),
  timingSafeEqual: (one: Buffer, other: Buffer) =>
    noted(`compare ${one.length} with ${other.length} bytes`, crypto.timingSafeEqual(one, other)),
}));
const { authorizer, Unauthorized } = await import('../../functions/access-tokens/authorizer.ts');
const { digest, makeToken } = await import('../../functions/access-tokens/token.ts');

const fullWork = ['look up', 'digest by sha256', 'compare 32 with 32 bytes', 'log'];
const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/GET/plants';
const { info } = console;
let log: Record<string, unknown>[];
beforeEach(() => {
  log = [];
  console.info = (line) => noted('log', log.push(line));
});
afterEach(() => {
  console.info = info;
});

const issued = (more: Partial<AccessTokenRecord> = {}) => {
  const { id, token } = makeToken();
  const record: AccessTokenRecord = {
    id,
    digest: digest(token),
    owner: 'ann',
    scopes: ['plants:read'],
    label: '',
    created: 1,
    ...more,
  };
  const find = async (sought: string) => noted('look up', sought === id ? record : undefined);
  return { id, token, record, find };
};
const event = (authorizationToken: string) =>
  ({ type: 'TOKEN', authorizationToken, methodArn }) as const;

test('an accepted token gives its owner and its id, and nothing else', async () => {
  const { id, token, find } = issued();
  work = [];
  const { principalId, context } = await authorizer(find)(event(`Bearer ${token}`));
  expect(principalId).toBe('ann');
  expect(context).toEqual({ owner: 'ann', tokenId: id });
  expect(log).toEqual([{ code: 'TOKEN_ACCEPTED', tokenId: id, owner: 'ann' }]);
  expect(work).toEqual(fullWork);
});

const calls = 'GET/plants POST/plants DELETE/plants/7 DELETE/plants/a/b GET/ PATCH/*'.split(' ');
test.each<Scope[]>([['plants:read'], ['plants:write'], ['plants:read', 'plants:write']])(
  'the policy of %s names the operations of its scopes in the API and stage, whatever the call',
  async (...scopes) => {
    const { token, find } = issued({ scopes });
    for (const api of [
      'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1',
      'arn:aws-cn:execute-api:cn-north-1:1:x/v2',
    ]) {
      const Resource = pinnedOperations
        .filter(({ scope }) => scopes.join().includes(scope))
        .map(({ call }) => `${api}/${fillPath(call.replace(' /', '/'), '*')}`)
        .flatMap((arn) => (arn.endsWith('*') ? arn : [arn, `${arn}/`]));
      for (const call of calls) {
        const called = { ...event(`Bearer ${token}`), methodArn: `${api}/${call}` };
        expect((await authorizer(find)(called)).policyDocument).toEqual({
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource }],
        });
      }
    }
  },
);

const lastSecond = 1_800_000_000;
test.each([
  ['a millisecond before its expiry', 'accepted', -1],
  ['at its expiry', 'refused', 0],
  ['a millisecond after its expiry', 'refused', 1],
  ['a century after its expiry, where DynamoDB has not removed it', 'refused', 3_155_760_000_000],
])('%s, a token is %s', async (_, verdict, after) => {
  const { token, find } = issued({ expires: lastSecond });
  const judged = authorizer(find, () => lastSecond * 1000 + after)(event(`Bearer ${token}`));
  await (verdict === 'accepted'
    ? expect(judged).resolves.toBeDefined()
    : expect(judged).rejects.toThrow(Unauthorized));
});

test('a token that expires during the look-up is refused', async () => {
  let now = lastSecond * 1000 - 1;
  const { token, record } = issued({ expires: lastSecond });
  const slowly = async () => {
    now += 1;
    return record;
  };
  const judged = authorizer(slowly, () => now)(event(`Bearer ${token}`));
  await expect(judged).rejects.toThrow(Unauthorized);
});

test('every refusal is the same error and the same work, and only the log says why', async () => {
  const active = issued();
  const revoked = issued({ revoked: 2 });
  const expired = issued({ expires: 2 });
  const both = issued({ revoked: 2, expires: 2 });
  const mistyped = active.token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const { token } = active;
  const wrongAtEnd = token.slice(17, 59) + (token[59] === '0' ? '1' : '0');
  // Types that no gateway sends, blanks that HTTP would drop, and a Cyrillic letter.
  const odd = [undefined, null, 7, ['Bearer', token]] as unknown as string[];
  const blanks = [' Bearer TOKEN', 'Bearer TOKEN ', 'Bearer TOKEN\n', 'Bearer TOKEN\nBearer TOKEN'];
  const texts = [...badShapes, ...blanks, 'Вearer TOKEN'];
  const malformed = [...odd, ...texts.map((shape) => shape.replaceAll('TOKEN', token))];
  const cases: [string, string, typeof active][] = [
    ...malformed.map((header): (typeof cases)[number] => ['malformed', header, active]),
    ['mistyped', `Bearer ${mistyped}`, active],
    ['unknown', `Bearer ${forge()}`, active],
    ['wrong', `Bearer ${forge(active.id)}`, active],
    ['wrong', `Bearer ${forge(active.id, wrongAtEnd)}`, active],
    ['wrong', `Bearer ${forge(revoked.id)}`, revoked],
    ['wrong', `Bearer ${forge(expired.id)}`, expired],
    ['revoked', `Bearer ${revoked.token}`, revoked],
    ['expired', `Bearer ${expired.token}`, expired],
    ['revoked', `Bearer ${both.token}`, both],
  ];
  for (const [reason, header, { find }] of cases) {
    work = [];
    const error: unknown = await authorizer(find)(event(header)).catch((thrown) => thrown);
    // Only a token with a right checksum is worth a look-up.
    expect(work).toEqual(['malformed', 'mistyped'].includes(reason) ? ['log'] : fullWork);
    expect(error).toBeInstanceOf(Unauthorized);
    const { message } = error as Error;
    expect({ ...(error as Error), message }).toEqual({ message: 'Unauthorized' });
    expect(log.at(-1)).toMatchObject({ code: 'TOKEN_REFUSED', reason });
  }
  expect(log).toHaveLength(cases.length);
});

test('an error of the database is passed on, and is not a refusal', async () => {
  const failing = async () => {
    throw new Error('The database is down.');
  };
  const judged = authorizer(failing)(event(`Bearer ${forge()}`));
  await expect(judged).rejects.toThrow('The database is down.');
  expect(log).toEqual([]);
});
