import { afterAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { issueToken, revokeToken } from '../../lib/tokens/tokens.ts';
import { alphabet, forge } from '../support/access-tokens/forge.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { findSecrets } from '../support/access-tokens/secrets.ts';
import { testProperty } from '../support/property.ts';
import { database, log } from '../support/service/functions.ts';
import { lambdaContext, tokenEvent } from '../support/service/proxy-event.ts';
import { mutateText, textMutations } from './bodies.ts';

const { handler: authorize } = await import('../../functions/authorize.ts');

const table = tableIds.accessTokens;
function issue(owner: string, now = Date.now()) {
  const grant = { owner, scopes: allScopes, label: '', lifetime: 86_400 };
  return issueToken(database, table, grant, () => now);
}
const owners = ['alice', 'bob'];
const working = [await issue('alice'), await issue('bob')];
const revoked = await issue('alice');
await revokeToken(database, table, revoked.id);
const expired = await issue('alice', Date.now() - 86_401_000);
/** The first two work, and the others do not. */
const tokens = [...working, revoked, expired].map(({ token }) => token);

afterAll(() => {
  const lines = log.map((line) => JSON.stringify(line));
  expect(findSecrets(lines, tokens)).toEqual([]);
});

const base62 = (length: number) =>
  fc.string({ minLength: length, maxLength: length, unit: fc.constantFrom(...alphabet) });
const token = fc.constantFrom(...tokens);
const id = fc.oneof(
  token.map((one) => splitToken(one).id),
  base62(12),
);
const secret = token.map((one) => splitToken(one).secret.slice(0, 43));
const mutatedSecret = fc.tuple(secret, textMutations).map(([text, mutations]) => {
  const digits = mutateText(text, mutations).replaceAll(/[^0-9A-Za-z]/g, '0');
  return digits.padEnd(43, '0').slice(0, 43);
});
const attempts = fc.oneof(
  fc.tuple(token, textMutations).map(([text, mutations]) => mutateText(text, mutations)),
  token.map((one) => one.toLowerCase()),
  token.map((one) => one.toUpperCase()),
  // With a valid checksum.
  fc.tuple(id, fc.oneof(secret, mutatedSecret, base62(43))).map((parts) => forge(...parts)),
);
const schemes = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('Bearer ', 'bearer ', 'BEARER   ') },
  { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Bearer\t', 'Basic ', 'Bearer Bearer ') },
);

testProperty('the authorizer accepts only tokens that work, each for its own owner', {
  counts: { short: 150, full: 4000 },
  cases: fc.tuple(schemes, attempts),
  async holds([scheme, attempt]) {
    const header = scheme + attempt;
    const [, sent = ''] = /^bearer +(\S+)$/i.exec(header) ?? [];
    const owner = owners[tokens.indexOf(sent)];
    const accepted = await authorize(tokenEvent(header), lambdaContext()).then(
      ({ context }) => context?.owner,
      (error) => expect(error.message).toBe('Unauthorized'),
    );
    expect([header, accepted]).toEqual([header, owner]);
  },
});
