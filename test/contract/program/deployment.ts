import type { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { defaultCacheSeconds } from '../../../functions/shared/timeouts.ts';
import type { Target } from '../../../lib/administration/target.ts';
import { CommandError } from '../../../lib/command-line/command-error.ts';
import { revokeToken } from '../../../lib/tokens/tokens.ts';
import { type HttpResponse, send } from '../../support/http/http-client.ts';

/** An API under test. */
export interface Api {
  baseUrl: string;
  /** Uses the proxy in the environment, if the API is a stack's. */
  agent: Agent | false;
}

/** Seconds: the largest value of the setting authorizer-cache, and a margin. */
const longestLife = 310;

/**
 * Uses and revokes a token of a deployed stack. Returns a line that says for how long the gateway's
 * cache still accepted it. Rejects once the signal aborts.
 */
export async function lifeAfterRevocation(
  api: Api,
  { database, tables }: Target,
  { id, token }: { id: string; token: string },
  signal: AbortSignal,
): Promise<{ isExpected: boolean; line: string }> {
  await fetchList(api, token, { signal });
  await revokeToken(database, tables.accessTokens, id);
  const revoked = performance.now();
  for (;;) {
    const { status } = await fetchList(api, token, { signal });
    const seconds = Math.round((performance.now() - revoked) / 1000);
    if (status === 401 || seconds > longestLife) {
      const line = `A revoked token got ${status} after ${seconds} s (${defaultCacheSeconds} by default).`;
      return { isExpected: status === 401, line };
    }
    await setTimeout(1000, undefined, { signal });
  }
}

/**
 * Rejects with one line if no plant store responds at a base URL. Waits for a stage that was just
 * deployed: for up to a minute, API Gateway may not know it everywhere.
 */
export async function expectPlantStore(api: Api): Promise<void> {
  const { baseUrl } = api;
  let response = await callStore(api);
  for (let seconds = 0; isUnknownStage(response) && seconds < 60; seconds += 1) {
    if (seconds === 0) {
      console.log(`API Gateway does not know ${baseUrl} yet. Waiting for up to a minute.`);
    }
    await setTimeout(1000);
    response = await callStore(api);
  }
  const { status } = response;
  // The call has no token. Outside a stage, API Gateway returns 403, and other servers anything.
  if (status !== 401) {
    throw new CommandError(
      `${baseUrl}/plants returned ${status}, but a plant store returns 401. ` +
        'Use --base-url with a base URL that ends in the stage, like https://…/v1.',
    );
  }
}

/** Our own response to a call without a token is a 401, and to an unknown path a 404. */
const isUnknownStage = ({ status, body }: HttpResponse): boolean =>
  status === 403 && body.includes('Missing Authentication Token');

const callStore = (api: Api) =>
  fetchList(api, '', { patienceMs: 10_000 }).catch((error) => {
    const { message, cause = { message } } = error as Error & { cause?: Error };
    throw new CommandError(
      `${api.baseUrl} does not respond (${cause.message}). Start it, or use --base-url.`,
    );
  });

/** Returns the response to a list. Waits and retries while the API throttles. */
async function fetchList(
  { baseUrl, agent }: Api,
  token: string,
  { patienceMs = 30_000, signal = new AbortController().signal } = {},
): Promise<HttpResponse> {
  const headers = ['Authorization', `Bearer ${token}`];
  for (;;) {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const request = { path: '/plants?limit=1', headers, signal: stop };
    const response = await send(baseUrl, request, agent);
    if (response.status !== 429) {
      return response;
    }
    await setTimeout(1000, undefined, { signal });
  }
}
