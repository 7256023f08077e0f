import { Agent } from 'node:http';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { markNeverSent } from './handshake-agent.ts';

/** DynamoDB is unavailable. The same call may succeed later. */
export class Unavailable extends Error {
  override name = 'Unavailable';
  /** Marks the error as retryable, so that the SDK retries reads. */
  readonly $retryable = {};
}

/** The response to a write was lost. The write may have taken effect. */
export class UnknownOutcome extends Unavailable {
  override name = 'UnknownOutcome';
  /** Whether the request may reach DynamoDB after this error. */
  readonly mayStillArrive: boolean;
  /** The error of a read that was to settle the outcome. */
  readError?: unknown;

  constructor(mayStillArrive: boolean, cause: unknown) {
    super('It is unknown whether a write took effect.', { cause });
    this.mayStillArrive = mayStillArrive;
  }
}

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
 * Makes a client send writes over live connections only. If the response to a write is lost, the
 * client rejects with `UnknownOutcome`.
 */
export function protectWrites(client: DynamoDBClient): void {
  let lastUsed = readClocks();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const isWrite = !isRead(commandName);
        if (isWrite) {
          await closeStaleConnections(client, lastUsed);
        }
        try {
          return await next(args);
        } catch (error) {
          throw classify(error as AttemptError, isWrite);
        } finally {
          lastUsed = readClocks();
        }
      },
    { name: 'protectWrites', step: 'deserialize', priority: 'high' },
  );
}

/** Whether a command of DynamoDB, like `GetItem`, only reads. All others may write. */
const isRead = (command: string): boolean =>
  /^(?:(?:Batch|Transact)?Get|Query|Scan|Describe|List)/.test(command);

/** The date can be set back. The uptime may stop while Lambda freezes the function. */
interface Clocks {
  date: number;
  uptime: number;
}

/** Reads both clocks, in milliseconds. */
const readClocks = (): Clocks => ({ date: Date.now(), uptime: process.uptime() * 1000 });

const isShort = (ms: number) => ms >= 0 && ms < idleLimitMs;

async function closeStaleConnections({ config }: DynamoDBClient, lastUsed: Clocks): Promise<void> {
  // DynamoDB may have closed a connection while the function was frozen. Node notices this within
  // one turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  const now = readClocks();
  if (isShort(now.date - lastUsed.date) && isShort(now.uptime - lastUsed.uptime)) {
    return;
  }
  const handler = config.requestHandler as unknown as HasAgents;
  for (const agent of Object.values(handler.httpHandlerConfigs())) {
    if (agent instanceof Agent) {
      for (const socket of Object.values(agent.freeSockets).flat()) {
        socket?.destroy();
      }
    }
  }
}

/** The part of the SDK's handler for Node that the general type lacks. */
type HasAgents = { httpHandlerConfigs(): Record<string, unknown> };

type AttemptError = Error & {
  code?: string;
  syscall?: string;
  /** No request was sent. */
  neverSent?: true;
  $metadata?: { httpStatusCode?: number };
};

/**
 * Returns `UnknownOutcome` for an error after which a write may have taken effect, `Unavailable` if
 * the response to a read is unreadable, and any other error itself.
 */
function classify(error: AttemptError, isWrite: boolean): Error {
  if (hasNotConnected(error)) {
    return markNeverSent(error);
  }
  const { name, code = '', $metadata: { httpStatusCode: status } = {} } = error;
  const hasResponse = status !== undefined;
  if (!isWrite) {
    const succeeded = hasResponse && status < 400;
    return succeeded && ['SyntaxError', 'TypeError'].includes(name)
      ? new Unavailable('The response of DynamoDB is unreadable.', { cause: error })
      : error;
  }
  const isRejected = hasResponse && status >= 400 && status < 500;
  if (isRejected || name === 'AbortError') {
    return error;
  }
  const isClosed = ['ECONNRESET', 'EPIPE'].includes(code);
  return new UnknownOutcome(!hasResponse && !isClosed, error);
}

function hasNotConnected({ neverSent, code, syscall = '', message }: AttemptError): boolean {
  return (
    neverSent === true ||
    ['connect', 'getaddrinfo'].includes(syscall) ||
    // If a name has several addresses, the error has no system call.
    code === 'ECONNREFUSED' ||
    // The SDK's own timeout for connections has no code.
    message.includes('did not establish a connection')
  );
}
