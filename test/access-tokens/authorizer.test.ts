import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { authorizer, Unauthorized } from '../../functions/access-tokens/authorizer.ts';
import type { AccessTokenRecord } from '../../functions/access-tokens/record.ts';
import { digest, makeToken } from '../../functions/access-tokens/token.ts';
import type { Scope } from '../../functions/shared/operations.ts';
import { alphabet, forge } from '../support/access-tokens/forge.ts';
import { randomNumbers } from '../support/random-numbers.ts';

const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/GET/plants';
const { info } = console;
let log: Record<string, unknown>[];
beforeEach(() => {
  log = [];
  console.info = (line) => log.push(line);
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
  const find = async (sought: string) => (sought === id ? record : undefined);
  return { id, token, record, find };
};
const event = (authorizationToken: string) =>
  ({ type: 'TOKEN', authorizationToken, methodArn }) as const;

test('an accepted token gives its owner and its id, and nothing else', async () => {
  const { id, token, find } = issued();
  const { principalId, context } = await authorizer(find)(event(`Bearer ${token}`));
  expect(principalId).toBe('ann');
  expect(context).toEqual({ owner: 'ann', tokenId: id });
  expect(log).toEqual([{ code: 'TOKEN_ACCEPTED', tokenId: id, owner: 'ann' }]);
});

const calls = 'GET/plants POST/plants DELETE/plants/7 DELETE/plants/a/b GET/ PATCH/*'.split(' ');
test.each<[Scope[], string[]]>([
  [['plants:read'], ['GET/plants', 'GET/plants/']],
  [['plants:write'], ['POST/plants', 'POST/plants/', 'DELETE/plants/*']],
  [
    ['plants:read', 'plants:write'],
    ['POST/plants', 'POST/plants/', 'GET/plants', 'GET/plants/', 'DELETE/plants/*'],
  ],
])(
  'the policy of %j names %j of the API and stage that was called, whatever the call',
  async (scopes, operations) => {
    const { token, find } = issued({ scopes });
    for (const api of [
      'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1',
      'arn:aws-cn:execute-api:cn-north-1:1:x/v2',
    ]) {
      const Resource = operations.map((operation) => `${api}/${operation}`);
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

test('every refusal is the same error, and only the log says why', async () => {
  const active = issued();
  const revoked = issued({ revoked: 2 });
  const expired = issued({ expires: 2 });
  const both = issued({ revoked: 2, expires: 2 });
  const mistyped = active.token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const cases: [string, string, typeof active][] = [
    ['malformed', active.token, active],
    ['malformed', '', active],
    ['mistyped', `Bearer ${mistyped}`, active],
    ['unknown', `Bearer ${forge()}`, active],
    ['wrong', `Bearer ${forge(active.id)}`, active],
    ['wrong', `Bearer ${forge(revoked.id)}`, revoked],
    ['wrong', `Bearer ${forge(expired.id)}`, expired],
    ['revoked', `Bearer ${revoked.token}`, revoked],
    ['expired', `Bearer ${expired.token}`, expired],
    ['revoked', `Bearer ${both.token}`, both],
  ];
  for (const [reason, header, { find }] of cases) {
    const error: unknown = await authorizer(find)(event(header)).catch((thrown) => thrown);
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

test('of 100 000 mutated tokens none is accepted, and no secret is logged', async () => {
  const { id, token, record } = issued();
  let reads = 0;
  const judge = authorizer(async (sought) => {
    reads += 1;
    return sought === id ? record : undefined;
  });
  const random = randomNumbers(1);
  const pick = (text: string) => text.charAt(random(text.length));
  const somewhere = (mutate: (at: number, character: string) => string) => () => {
    const at = random(token.length);
    return mutate(at, token.charAt(at));
  };
  const cut = (at: number, length: number, put: string) =>
    token.slice(0, at) + put + token.slice(at + length);
  const recase = (letter: string) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  const mistype = [
    somewhere((at) => cut(at, 1, pick(alphabet))),
    somewhere((at, character) => cut(at, 1, recase(character))),
    somewhere((at, character) => cut(at, 2, token.charAt(at + 1) + character)),
    somewhere((at) => cut(at, 1 + random(3), '')),
    somewhere((at, character) => cut(at, 0, character)),
    somewhere((at) => cut(at, 0, pick(`${alphabet}_-\n\0é`))),
    somewhere((at) => cut(at, 1, pick('_-+/=. \n\0éＡ٣'))),
    () => `${pick('\t\n,"')}${token}`,
    () => `${token}${pick(' \t\n=,')}`,
  ];
  const [half, otherHalf] = [token.slice(17, 38), token.slice(38, 60)];
  const mutateAndJudge = async (mutate: (() => string)[], times: number) => {
    let judged = 0;
    for (let i = 0; i < times; i += 1) {
      const mutated = (mutate[i % mutate.length] as () => string)();
      if (mutated === token) continue;
      judged += 1;
      const refused = await judge(event(`Bearer ${mutated}`)).catch(
        (error) => error instanceof Unauthorized,
      );
      if (refused !== true) throw new Error(`Not refused: ${mutated} for ${token}`);
    }
    expect(log).toHaveLength(judged);
    expect(JSON.stringify(log)).not.toContain(half);
    expect(JSON.stringify(log)).not.toContain(otherHalf);
    log = [];
    return judged;
  };

  const mistyped = await mutateAndJudge(mistype, 84_000);
  expect(reads).toBe(0);
  // Whoever knows the format gets the checksum right.
  const kept = somewhere((at) =>
    forge(id, `${token.slice(17, 60).slice(0, at % 43)}${pick(alphabet)}`.padEnd(43, '0')),
  );
  const forged = await mutateAndJudge([kept, () => forge(id)], 20_000);
  expect(reads).toBe(forged);
  expect(mistyped + forged).toBeGreaterThan(100_000);
});
