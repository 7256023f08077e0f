import { setTimeout } from 'node:timers/promises';
import { type CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { revokeToken } from '../../../bin/administration/access-tokens.ts';
import { AdministrationError } from '../../../bin/administration/administration-error.ts';
import type { Target } from '../../../bin/administration/target.ts';
import { accessTokenKey } from '../../../functions/shared/table-schema.ts';

// What only a deployed stack can show, and what needs its table of access tokens to be shown.

/** The largest value of the setting authorizer-cache, and a little more. */
const longestLife = 310;

/** Uses and revokes a token, and returns a line that says for how long it still worked. */
export async function lifeAfterRevocation(
  baseUrl: string,
  target: Target,
  { id, token }: { id: string; token: string },
): Promise<string> {
  const what = 'a revoked token ends within the setting authorizer-cache, by default 60 s';
  const first = await statusOf(baseUrl, token);
  if (first !== 200) return `Differs: ${what}: before, it was answered ${first}`;
  await revokeToken(...target, id);
  const revoked = performance.now();
  for (;;) {
    const seconds = Math.round((performance.now() - revoked) / 1000);
    const status = await statusOf(baseUrl, token);
    if (status === 401) return `As expected: ${what}: it ended after ${seconds} s`;
    if (seconds > longestLife)
      return `Differs: ${what}: after ${seconds} s it was still answered ${status}`;
    await setTimeout(1000);
  }
}

/** Damages the record of a token for one request, and returns a line about the answer. */
export async function authorizerFailure(
  baseUrl: string,
  [database, table]: Target,
  { id, token }: { id: string; token: string },
): Promise<string> {
  const what = 'a request whose token the authorizer cannot check is answered 503';
  const Key = { [accessTokenKey.partition]: id };
  try {
    await database.send(
      new UpdateCommand({
        TableName: table,
        Key,
        UpdateExpression: 'SET #owner = :damaged',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':damaged': 0 },
      }),
    );
    const status = await statusOf(baseUrl, token);
    return status === 503 ? `As expected: ${what}` : `Differs: ${what}: it was answered ${status}`;
  } finally {
    // A damaged record would stop the list of tokens.
    await database.send(new DeleteCommand({ TableName: table, Key }));
  }
}

/**
 * Returns a line that names the metrics that counted the failure. AWS does not say whether 5XXError
 * counts an answer whose status a gateway response changed.
 */
export async function metricsOfFailure(
  cloudWatch: CloudWatchClient,
  stack: string,
  since: Date,
  patienceMs = 600_000,
): Promise<string> {
  const what = 'metrics that counted it, for the alarms ServerErrors and AuthorizerFailures';
  const api = { ApiName: stack, Stage: 'v1' };
  const metrics = {
    '5XXError': {
      Namespace: 'AWS/ApiGateway',
      Dimensions: Object.entries(api).map(([Name, Value]) => ({ Name, Value })),
    },
    AuthorizerFailed: { Namespace: stack },
  };
  const counted = new Set<string>();
  const end = performance.now() + patienceMs;
  for (;;) {
    for (const [MetricName, metric] of Object.entries(metrics)) {
      const { Datapoints = [] } = await cloudWatch.send(
        new GetMetricStatisticsCommand({
          ...metric,
          MetricName,
          // Metrics belong to the minute in which they begin.
          StartTime: new Date(Math.floor(since.getTime() / 60_000) * 60_000),
          EndTime: new Date(Date.now() + 60_000),
          Period: 60,
          Statistics: ['Sum'],
        }),
      );
      if (Datapoints.some(({ Sum = 0 }) => Sum > 0)) counted.add(MetricName);
    }
    const missing = Object.keys(metrics).filter((name) => !counted.has(name));
    if (missing.length === 0) return `As expected: ${what}: ${[...counted].join(', ')}`;
    if (performance.now() > end)
      return `Differs: ${what}: ${[...counted, ...missing.map(not)].join(', ')}`;
    await setTimeout(Math.min(10_000, patienceMs));
  }
}

const not = (name: string) => `not ${name}`;

/** Rejects with one line if nothing answers at a base URL. */
export async function expectAnswer(baseUrl: string): Promise<void> {
  try {
    const response = await fetch(`${baseUrl}/plants`, { signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
  } catch (error) {
    const { message, cause = message } = error as Error;
    const reason = cause instanceof Error ? cause.message : cause;
    throw new AdministrationError(
      `${baseUrl} does not answer (${reason}). Start it, or give another with --base-url.`,
    );
  }
}

/** Returns the status of a list. Waits and asks again while the API throttles. */
async function statusOf(baseUrl: string, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  for (;;) {
    const response = await fetch(`${baseUrl}/plants?limit=1`, {
      headers,
      signal: AbortSignal.timeout(30_000),
    });
    await response.body?.cancel();
    if (response.status !== 429) return response.status;
    await setTimeout(1000);
  }
}
