import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { attempts, timeouts } from '../shared/timeouts.ts';
import { HandshakeAgent } from './handshake-agent.ts';
import { streamCollector } from './stream-collector.ts';
import { protectWrites, RetryStrategy } from './writes.ts';

/** Connects to DynamoDB. */
export function connect(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    // The SDK's default chain is not in the bundles. Lambda puts credentials into the environment.
    credentials: fromEnv(),
    maxAttempts: attempts,
    retryStrategy: new RetryStrategy(attempts),
    // Timeouts of one attempt: connect, first byte, next chunk.
    requestHandler: {
      httpsAgent: new HandshakeAgent(timeouts.connection),
      connectionTimeout: timeouts.connection,
      requestTimeout: timeouts.attempt,
      throwOnRequestTimeout: true,
      socketTimeout: timeouts.attempt,
    },
    streamCollector,
  });
  // It copies every request and answer for a log entry, even if nothing logs.
  client.middlewareStack.remove('loggerMiddleware');
  requireObjects(client);
  protectWrites(client);
  nameAbortedCommands(client);
  return documentClient(client);
}

/** Returns a document client that reads numbers as `NumberValue`, so that no digit is lost. */
export const documentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });

/** Makes the error of an aborted command name the command. The SDK's error does not. */
function nameAbortedCommands({ middlewareStack }: DynamoDBClient): void {
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if ((error as Error).name !== 'AbortError') {
            throw error;
          }
          const aborted = new Error(`${commandName.replace(/Command$/, '')} was aborted.`);
          throw Object.assign(aborted, { name: 'AbortError' });
        }
      },
    { step: 'initialize' },
  );
}

/** Makes a client reject any answer but a JSON object. The SDK reads an empty answer as `{}`. */
export function requireObjects({ config }: DynamoDBClient): void {
  const { streamCollector } = config;
  config.streamCollector = async (stream) => {
    const bytes = await streamCollector(stream);
    // White space may precede the brace. If the rest is malformed, the SDK rejects it.
    if (bytes.find((byte) => byte > 0x20) !== 0x7b) {
      throw new SyntaxError('DynamoDB did not answer with a JSON object.');
    }
    return bytes;
  };
}

/**
 * Returns an environment variable that the stack sets. Throws if it is missing. Call it while
 * Lambda initializes, so that this shows before the first request.
 */
export function requiredVariable(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`The environment variable ${name} is not set.`);
  }
  return value;
}

type SdkError = Parameters<typeof isTransientError>[0];

/** Tells whether DynamoDB is throttling, slow or unreachable, so that a repetition may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  [isThrottlingError, isTransientError, isServerError].some(
    (holds) => error instanceof Error && holds(error as SdkError),
  );
