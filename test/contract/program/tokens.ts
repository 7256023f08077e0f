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

  /** Issues the tokens that the suite needs, by the environment variables that it reads. */
  async function forSuite(): Promise<Record<string, string>> {
    const revoked = await issue('a');
    await revokeToken(...target, revoked.id);
    return {
      CONTRACT_TOKEN: (await issue('a')).token,
      CONTRACT_OTHER_TOKEN: (await issue('b')).token,
      CONTRACT_READ_TOKEN: (await issue('c', { scopes: ['plants:read'] })).token,
      CONTRACT_REVOKED_TOKEN: revoked.token,
      CONTRACT_EXPIRED_TOKEN: (await issue('a', { age: 2 * hour })).token,
    };
  }

  async function revokeAll(): Promise<void> {
    const outcomes = await Promise.allSettled(issued.map((id) => revokeToken(...target, id)));
    const failed = issued.filter((_, index) => {
      const outcome = outcomes[index];
      // An AdministrationError means that the token is gone.
      return outcome?.status === 'rejected' && !(outcome.reason instanceof AdministrationError);
    });
    if (failed.length > 0)
      throw new Error(`These tokens are not revoked, and expire in an hour: ${failed.join(' ')}.`);
  }

  return { issue, forSuite, revokeAll };
}
