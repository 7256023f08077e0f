import { setTimeout } from 'node:timers/promises';
import { CommandError } from '../../../bin/command-line/command-error.ts';
import type { Target } from '../../../bin/command-line/target.ts';
import { revokeToken } from '../../../functions/access-tokens/administration.ts';

/** Seconds: the largest value of the setting authorizer-cache, and a margin. */
const longestLife = 310;

/**
 * Uses and revokes a token of a deployed stack. Returns a line that says for how long the gateway's
 * cache still accepted it.
 */
export async function lifeAfterRevocation(
  baseUrl: string,
  { database, tables }: Target,
  { id, token }: { id: string; token: string },
): Promise<{ isExpected: boolean; line: string }> {
  await fetchStatus(baseUrl, token);
  await revokeToken(database, tables.accessTokens, id);
  const revoked = performance.now();
  for (;;) {
    const status = await fetchStatus(baseUrl, token);
    const seconds = Math.round((performance.now() - revoked) / 1000);
    if (status === 401 || seconds > longestLife) {
      const line = `A revoked token got ${status} after ${seconds} s (60 by default).`;
      return { isExpected: status === 401, line };
    }
    await setTimeout(1000);
  }
}

/** Rejects with one line if no plant store responds at a base URL. */
export async function expectPlantStore(baseUrl: string): Promise<void> {
  const status = await fetchStatus(baseUrl, '', 10_000).catch((error) => {
    const { message, cause = { message } } = error as Error & { cause?: Error };
    throw new CommandError(
      `${baseUrl} does not respond (${cause.message}). Start it, or use --base-url.`,
    );
  });
  // The call has no token. Outside a stage, API Gateway returns 403.
  if (status === 403 || status === 404) {
    throw new CommandError(
      `${baseUrl}/plants returned ${status}, but a plant store returns 401. ` +
        'Use --base-url with a base URL that ends in the stage, like https://…/v1.',
    );
  }
}

/** Returns the status of a list. Waits and retries while the API throttles. */
async function fetchStatus(baseUrl: string, token: string, patienceMs = 30_000): Promise<number> {
  for (;;) {
    const response = await fetch(`${baseUrl}/plants?limit=1`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(patienceMs),
    });
    await response.body?.cancel();
    if (response.status !== 429) {
      return response.status;
    }
    await setTimeout(1000);
  }
}
