import type { Agent } from 'node:http';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { type AttemptError, classify, UnknownOutcome } from './errors.ts';

type Refresh = StandardRetryStrategy['refreshRetryTokenForRetry'];

/** The SDK's standard strategy, except that it never retries a write that may have taken effect. */
export class RetryStrategy extends StandardRetryStrategy {
  override refreshRetryTokenForRetry(
    token: Parameters<Refresh>[0],
    info: Parameters<Refresh>[1],
  ): ReturnType<Refresh> {
    if (info.error instanceof UnknownOutcome) {
      return Promise.reject(info.error);
    }
    return super.refreshRetryTokenForRetry(token, info);
  }
}

/** After this idle time, no write uses a connection. DynamoDB closes connections later. */
const idleLimitMs = 5000;

/**
 * Makes a client send commands over live connections only, and writes over those without a pause.
 * If the response to a write is lost, the client rejects with `UnknownOutcome`.
 */
export function protectWrites(client: DynamoDBClient): void {
  let lastUsed = readClocks();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const isWrite = !isRead(commandName);
        // While the function was frozen, DynamoDB may have closed a connection, or sent a response
        // that no request asked for (CVE-2026-105481). Within one turn of the event loop, Node
        // notices both.
        await new Promise((resolve) => setImmediate(resolve));
        if (isWrite && !isRecent(lastUsed)) {
          closeIdleConnections(client);
        }
        try {
          return await next(args);
        } catch (error) {
          throw classify(error as AttemptError, isWrite);
        } finally {
          lastUsed = readClocks();
        }
      },
    { step: 'deserialize', priority: 'high' },
  );
}

/** Whether a command of DynamoDB, like `GetItem`, only reads. All others may write. */
const isRead = (command: string): boolean =>
  /^(?:(?:Batch|Transact)?Get|Query|Scan|Describe|List)/.test(command);

/**
 * In milliseconds. The date can be set back. The uptime may stop while Lambda freezes the function.
 */
interface Clocks {
  date: number;
  uptime: number;
}

const readClocks = (): Clocks => ({ date: Date.now(), uptime: process.uptime() * 1000 });

function isRecent({ date, uptime }: Clocks): boolean {
  const now = readClocks();
  return isShort(now.date - date) && isShort(now.uptime - uptime);
}

const isShort = (ms: number) => ms >= 0 && ms < idleLimitMs;

function closeIdleConnections({ config }: DynamoDBClient): void {
  const handler = config.requestHandler as unknown as HasAgents;
  const { httpAgent, httpsAgent } = handler.httpHandlerConfigs();
  for (const agent of [httpAgent, httpsAgent]) {
    for (const socket of Object.values(agent?.freeSockets ?? {}).flat()) {
      socket?.destroy();
    }
  }
}

/** The part of the SDK's handler for Node that the general type lacks. */
type HasAgents = { httpHandlerConfigs(): { httpAgent?: Agent; httpsAgent?: Agent } };
