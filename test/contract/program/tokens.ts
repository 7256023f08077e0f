import { randomUUID } from 'node:crypto';
import { issueToken, revokeToken } from '../../../bin/administration/access-tokens.ts';
import { AdministrationError } from '../../../bin/administration/administration-error.ts';
import type { Target } from '../../../bin/administration/target.ts';
import { allScopes } from '../../../functions/shared/operations.ts';

const hour = 3600;

/** Issues one run's tokens, each for a new owner, and revokes them. */
export function tokensOfRun(target: Target) {
  const run = randomUUID();
  const issued: string[] = [];

  async function issue(owner: string, { scopes = allScopes, age = 0 } = {}) {
    const now = () => Date.now() - age * 1000;
    const expires = Math.floor(now() / 1000) + hour;
    const grant = { owner: `contract-${run}-${owner}`, scopes, label: 'npm run contract', expires };
    const { id, token } = await issueToken(...target, grant, now);
    issued.push(id);
    return { id, token };
  }

  /** Issues the tokens that the suite needs. */
  async function forSuite() {
    const revoked = await issue('a');
    await revokeToken(...target, revoked.id);
    return {
      token: (await issue('a')).token,
      otherToken: (await issue('b')).token,
      readToken: (await issue('c', { scopes: ['plants:read'] })).token,
      revokedToken: revoked.token,
      expiredToken: (await issue('a', { age: 2 * hour })).token,
    };
  }

  async function revokeAll(): Promise<void> {
    const failed: string[] = [];
    const revoke = (id: string) =>
      revokeToken(...target, id).catch((error) => {
        // An AdministrationError means that the token is gone.
        if (!(error instanceof AdministrationError)) failed.push(id);
      });
    await Promise.all(issued.map(revoke));
    if (failed.length > 0)
      throw new Error(`These tokens are not revoked, and expire in an hour: ${failed.join(' ')}.`);
  }

  return { issue, forSuite, revokeAll };
}
