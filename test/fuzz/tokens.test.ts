import { beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { alphabet, forge } from '../support/access-tokens/forge.ts';
import { finallyDo } from '../support/cleanup.ts';
import { send } from '../support/http/http-client.ts';
import { testProperty } from '../support/property.ts';
import { openStore, type Store } from '../support/service/store.ts';
import { mutateText, textMutations } from './inputs.ts';

const owners = ['alice', 'bob'];
let store: Store;
/** Two that work, by their owners, and two that do not. */
let tokens: string[];
beforeAll(async () => {
  store = await openStore();
  finallyDo(store.stop);
  tokens = [
    ...(await Promise.all(owners.map((owner) => store.issue(owner)))),
    await store.issueExpired('alice'),
    await store.issueRevoked('alice'),
  ];
});

const base62 = (length: number) =>
  fc.string({ minLength: length, maxLength: length, unit: fc.constantFrom(...alphabet) });
// Not before the tokens are there.
const token = fc.nat(3).map((i) => `${tokens[i]}`);
const id = fc.oneof(
  token.map((one) => one.slice(4, 16)),
  base62(12),
);
const secret = token.map((one) => one.slice(17, 60));
const mutatedSecret = fc.tuple(secret, textMutations).map(([text, mutations]) => {
  const digits = mutateText(text, mutations).replaceAll(/[^0-9A-Za-z]/g, '0');
  return digits.padEnd(43, '0').slice(0, 43);
});
const attempts = fc.oneof(
  fc.tuple(token, textMutations).map(([text, mutations]) => mutateText(text, mutations)),
  token.map((one) => one.toLowerCase()),
  token.map((one) => one.toUpperCase()),
  // The checksums of these are right.
  fc.tuple(id, fc.oneof(secret, mutatedSecret, base62(43))).map((parts) => forge(...parts)),
);
const schemes = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('Bearer ', 'bearer ', 'BEARER   ') },
  { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Bearer\t', 'Basic ', 'Bearer Bearer ') },
);

testProperty('no token is accepted but those that work, each for its own owner', {
  counts: { short: 300, full: 4000 },
  cases: fc.tuple(schemes, attempts, fc.nat(9)),
  async holds([scheme, attempt, digit]) {
    const header = scheme + attempt;
    const [, sent = ''] = /^bearer +(\S+)$/i.exec(header) ?? [];
    const owner = owners[tokens.indexOf(sent)];
    // A client would not send other characters.
    if (digit === 5 && /^[!-~][ -~]*[!-~]$/.test(header)) {
      const request = { path: '/plants', headers: ['Authorization', header] };
      const { status } = await send(store.baseUrl, request, store.agent);
      return expect([header, status]).toEqual([header, owner ? 200 : 401]);
    }
    const accepted = await store.authorize(header).then(
      ({ context }) => context?.owner,
      (error) => expect(error.message).toBe('Unauthorized'),
    );
    expect([header, accepted]).toEqual([header, owner]);
  },
});
