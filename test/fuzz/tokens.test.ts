import { afterAll, beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { alphabet, forge } from '../support/access-tokens/forge.ts';
import { send } from '../support/http/http-client.ts';
import { testProperty } from '../support/report/property.ts';
import { openStore } from '../support/service/store.ts';
import { mutateText, textMutations } from './inputs.ts';

let store: Awaited<ReturnType<typeof openStore>>;
/** Two that work, by their owners, and two that do not. */
let tokens: string[];
const owners = ['alice', 'bob'];
beforeAll(async () => {
  store = await openStore();
  tokens = await Promise.all([
    ...owners.map((owner) => store.issue(owner)),
    store.issueExpired('alice'),
    store.issueRevoked('alice'),
  ]);
});
afterAll(() => store.stop());

const base62 = (length: number) =>
  fc.string({ minLength: length, maxLength: length, unit: fc.constantFrom(...alphabet) });
const idOf = (token: string) => token.slice(4, 16);
const secretOf = (token: string) => token.slice(17, 60);

/** Makes a token of those that were issued. Where it is forged, its checksum is right. */
const attempts: fc.Arbitrary<(token: string, other: string) => string> = fc.oneof(
  textMutations.map((mutations) => (token: string) => mutateText(token, mutations)),
  textMutations.map((mutations) => (token: string) => {
    const secret = mutateText(secretOf(token), mutations).replaceAll(/[^0-9A-Za-z]/g, '0');
    return forge(idOf(token), secret.padEnd(43, '0').slice(0, 43));
  }),
  fc.tuple(base62(12), base62(43)).map((parts) => () => forge(...parts)),
  base62(43).map((secret) => (token: string) => forge(idOf(token), secret)),
  base62(12).map((id) => (token: string) => forge(id, secretOf(token))),
  fc.constantFrom(
    (token: string, other: string) => forge(idOf(token), secretOf(other)),
    (token: string) => token.toLowerCase(),
    (token: string) => token.toUpperCase(),
  ),
);
const schemes = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('Bearer ', 'bearer ', 'BEARER   ') },
  { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Bearer\t', 'Basic ', 'Bearer Bearer ') },
);

testProperty({
  topic: 'Hostile input',
  name: 'mutants of access tokens',
  outcome: 'No token was accepted but the two that work, each for its own owner.',
  counts: { short: 400, whole: 100_000 },
  cases: fc.record({
    index: fc.nat(3),
    otherIndex: fc.nat(3),
    attempt: attempts,
    scheme: schemes,
    digit: fc.nat(9),
  }),
  async holds({ index, otherIndex, attempt, scheme, digit }) {
    const header = scheme + attempt(tokens[index] ?? '', tokens[otherIndex] ?? '');
    const [, sent = ''] = /^bearer +(\S+)$/i.exec(header) ?? [];
    const owner = owners[tokens.indexOf(sent)];
    // A client would not send other characters.
    if (digit === 5 && /^[!-~][ -~]*[!-~]$/.test(header)) {
      const request = { path: '/plants', headers: ['Authorization', header] };
      const { status } = await send(store.baseUrl, request, store.agent);
      expect([header, status]).toEqual([header, owner ? 200 : 401]);
      return;
    }
    const accepted = await store.authorize(header).then(
      ({ context }) => context?.owner,
      (error) => expect(error.message).toBe('Unauthorized'),
    );
    expect([header, accepted]).toEqual([header, owner]);
  },
});
