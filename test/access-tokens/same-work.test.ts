import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

/**
 * Records the look-ups, digests, comparisons and log lines of each verdict, in its own process.
 * Unlike a clock, this is certain.
 */
const probe = `
  import crypto from 'node:crypto';
  import { syncBuiltinESMExports } from 'node:module';
  let work = [];
  const { timingSafeEqual, createHash } = crypto;
  const noted = (step, result) => (work.push(step), result);
  crypto.timingSafeEqual = (a, b) =>
    noted('compare ' + a.length + ' with ' + b.length + ' bytes', timingSafeEqual(a, b));
  crypto.createHash = (algorithm) => noted('digest by ' + algorithm, createHash(algorithm));
  syncBuiltinESMExports();
  console.info = () => work.push('log');
  const { authorizer } = await import('./functions/access-tokens/authorizer.ts');
  const { digest, makeToken } = await import('./functions/access-tokens/token.ts');
  const { forge } = await import('./test/support/access-tokens/forge.ts');

  const { id, token } = makeToken();
  const scopes = ['plants:read'];
  const record = { id, digest: digest(token), owner: 'ann', scopes, label: '', created: 1 };
  const methodArn = 'arn/v1/GET/plants';
  const workOf = async (token, more = {}) => {
    work = [];
    const find = async (sought) =>
      noted('look up', sought === id ? { ...record, ...more } : undefined);
    const event = { type: 'TOKEN', authorizationToken: 'Bearer ' + token, methodArn };
    const verdict = await authorizer(find)(event).then(() => 'accepted', ({ message }) => message);
    return [...work, verdict];
  };
  const end = token.slice(17, 59) + (token[59] === '0' ? '1' : '0');
  console.log(JSON.stringify({
    accepted: await workOf(token),
    unknown: await workOf(forge()),
    wrong: await workOf(forge(id)),
    wrongByOneCharacter: await workOf(forge(id, end)),
    wrongAndRevoked: await workOf(forge(id), { revoked: 1 }),
    revoked: await workOf(token, { revoked: 1 }),
    expired: await workOf(token, { expires: 1 }),
  }));
`;

test('every refusal of a token with a right checksum takes the same work', () => {
  const { accepted, ...refused } = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', probe], {
      encoding: 'utf8',
      timeout: 30_000,
    }),
  );
  const work = ['look up', 'digest by sha256', 'compare 32 with 32 bytes', 'log'];
  expect(accepted).toEqual([...work, 'accepted']);
  expect(Object.keys(refused)).toHaveLength(6);
  for (const taken of Object.values(refused)) expect(taken).toEqual([...work, 'Unauthorized']);
});
