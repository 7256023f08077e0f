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
  await fetchList(baseUrl, token);
  await revokeToken(database, tables.accessTokens, id);
  const revoked = performance.now();
  for (;;) {
    const { status } = await fetchList(baseUrl, token);
    const seconds = Math.round((performance.now() - revoked) / 1000);
    if (status === 401 || seconds > longestLife) {
      const line = `A revoked token got ${status} after ${seconds} s (60 by default).`;
      return { isExpected: status === 401, line };
    }
    await setTimeout(1000);
  }
}

/**
 * Rejects with one line if no plant store responds at a base URL. Waits for a stage that was just
 * deployed: for up to a minute, API Gateway may not know it everywhere.
 */
export async function expectPlantStore(baseUrl: string): Promise<void> {
  let response = await callStore(baseUrl);
  for (let seconds = 0; isUnknownStage(response) && seconds < 60; seconds += 1) {
    if (seconds === 0) {
      console.log(`API Gateway does not know ${baseUrl} yet. Waiting for up to a minute.`);
    }
    await setTimeout(1000);
    response = await callStore(baseUrl);
  }
  const { status } = response;
  // The call has no token. Outside a stage, API Gateway returns 403.
  if (status === 403 || status === 404) {
    throw new CommandError(
      `${baseUrl}/plants returned ${status}, but a plant store returns 401. ` +
        'Use --base-url with a base URL that ends in the stage, like https://…/v1.',
    );
  }
}

/** Our own response to a call without a token is a 401, and to an unknown path a 404. */
const isUnknownStage = ({ status, text }: { status: number; text: string }): boolean =>
  status === 403 && text.includes('Missing Authentication Token');

const callStore = (baseUrl: string) =>
  fetchList(baseUrl, '', 10_000).catch((error) => {
    const { message, cause = { message } } = error as Error & { cause?: Error };
    throw new CommandError(
      `${baseUrl} does not respond (${cause.message}). Start it, or use --base-url.`,
    );
  });

/** Returns the response to a list. Waits and retries while the API throttles. */
async function fetchList(
  baseUrl: string,
  token: string,
  patienceMs = 30_000,
): Promise<{ status: number; text: string }> {
  for (;;) {
    const response = await fetch(`${baseUrl}/plants?limit=1`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await response.text();
    if (response.status !== 429) {
      return { status: response.status, text };
    }
    await setTimeout(1000);
  }
}
