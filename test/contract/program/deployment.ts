import { setTimeout } from 'node:timers/promises';
import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { type IssuedToken, revokeToken } from '../../../bin/administration/access-tokens.ts';
import { AdministrationError } from '../../../bin/administration/administration-error.ts';
import { explain } from '../../../bin/administration/explain.ts';
import { accountOf, type Target } from '../../../bin/administration/target.ts';
import type { StackTarget } from '../../../bin/administration/target-options.ts';

// What only a deployed stack can show, and what needs its table of access tokens to be shown.

export type Token = Pick<IssuedToken, 'id' | 'token'>;

/** Returns lines that each begin with "As expected", "Differs" or "Not tried". */
export const askDeployment = (
  options: StackTarget & { failAuthorizer?: true },
  baseUrl: string,
  target: Target,
  [revoked, damaged]: [Token, Token],
): Promise<string[]> =>
  Promise.all(
    [
      lifeAfterRevocation(baseUrl, target, revoked),
      ...(options.failAuthorizer
        ? [
            authorizerFailure(baseUrl, target, damaged),
            metricsOfFailure(new CloudWatchClient(accountOf(options)), options.stack, new Date()),
          ]
        : [notTried]),
    ].map((line) => Promise.resolve(line).catch((error) => `Differs: ${explain(error, options)}`)),
  );

const notTried =
  'Not tried: a failure of the authorizer, because it rings an alarm (--fail-authorizer)';

const told = (isExpected: boolean, what: string) =>
  `${isExpected ? 'As expected' : 'Differs'}: ${what}`;

/** The largest value of the setting authorizer-cache, and a little more. */
const longestLife = 310;

/** Uses and revokes a token, and returns a line that says for how long it still worked. */
async function lifeAfterRevocation(
  baseUrl: string,
  target: Target,
  { id, token }: Token,
): Promise<string> {
  const what = 'a revoked token ends within the setting authorizer-cache, by default 60 s';
  // The gateway caches the verdict.
  await statusOf(baseUrl, token);
  await revokeToken(target.database, target.table, id);
  const revoked = performance.now();
  for (;;) {
    const status = await statusOf(baseUrl, token);
    const seconds = Math.round((performance.now() - revoked) / 1000);
    if (status === 401 || seconds > longestLife) {
      return told(status === 401, `${what}: it was answered ${status} after ${seconds} s`);
    }
    await setTimeout(1000);
  }
}

/** Damages the record of a token, and returns a line about the answer. */
async function authorizerFailure(
  baseUrl: string,
  { database, table: TableName }: Target,
  { id, token }: Token,
): Promise<string> {
  const Key = { id };
  try {
    await database.send(new PutCommand({ TableName, Item: { ...Key, owner: 0 } }));
    const status = await statusOf(baseUrl, token);
    const what = 'a request whose token the authorizer cannot check is answered 503';
    return told(status === 503, `${what}: it was answered ${status}`);
  } finally {
    // A damaged record would stop the list of tokens.
    await database.send(new DeleteCommand({ TableName, Key }));
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
  const api = { ApiName: stack, Stage: 'v1' };
  const Dimensions = Object.entries(api).map(([Name, Value]) => ({ Name, Value }));
  const metrics = [
    { MetricName: '5XXError', Namespace: 'AWS/ApiGateway', Dimensions },
    { MetricName: 'AuthorizerFailed', Namespace: stack },
  ];
  const end = performance.now() + patienceMs;
  for (;;) {
    const counts = metrics.map(async (metric) => {
      const { Datapoints = [] } = await cloudWatch.send(
        new GetMetricStatisticsCommand({
          ...metric,
          // Metrics belong to the minute in which they begin.
          StartTime: new Date(Math.floor(since.getTime() / 60_000) * 60_000),
          EndTime: new Date(Date.now() + 60_000),
          Period: 60,
          Statistics: ['Sum'],
        }),
      );
      return `${Datapoints.some(({ Sum = 0 }) => Sum > 0) ? '' : 'not '}${metric.MetricName}`;
    });
    const found = (await Promise.all(counts)).join(', ');
    const isWhole = !found.includes('not ');
    if (isWhole || performance.now() > end) {
      const what = 'metrics that counted it, for the alarms ServerErrors and AuthorizerFailures';
      return told(isWhole, `${what}: ${found}`);
    }
    await setTimeout(Math.min(10_000, patienceMs));
  }
}

/** Rejects with one line if nothing answers at a base URL, or something that has no plants. */
export async function expectAnswer(baseUrl: string): Promise<void> {
  const status = await statusOf(baseUrl, '', 10_000).catch((error) => {
    const { message, cause = { message } } = error as Error & { cause?: Error };
    throw new AdministrationError(
      `${baseUrl} does not answer (${cause.message}). Start it, or give another with --base-url.`,
    );
  });
  // The call has no token. Without a stage, API Gateway answers 403.
  if (status === 403 || status === 404) {
    throw new AdministrationError(
      `${baseUrl}/plants was answered with ${status}, but a plant store answers 401. ` +
        'A base URL ends in the stage, like https://…/v1. Give another with --base-url.',
    );
  }
}

/** Returns the status of a list. Waits and asks again while the API throttles. */
async function statusOf(baseUrl: string, token: string, patienceMs = 30_000): Promise<number> {
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
