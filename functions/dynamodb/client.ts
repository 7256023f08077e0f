import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { attempts, timeouts } from '../shared/timeouts.ts';
import { HandshakeAgent } from './handshake-agent.ts';
import { streamCollector } from './stream-collector.ts';
import { protectWrites, RetryStrategy } from './writes.ts';

/** Returns the functions' client of DynamoDB. */
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
  // This middleware copies every request and response for a log entry, even without a logger.
  client.middlewareStack.remove('loggerMiddleware');
  requireObjects(client);
  protectWrites(client);
  nameAbortedCommands(client);
  return makeDocumentClient(client);
}

/** Returns a document client that reads numbers as `NumberValue`, so that no digit is lost. */
export const makeDocumentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
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

/** Makes a client reject a response that is no JSON object. The SDK reads an empty one as `{}`. */
export function requireObjects({ config }: DynamoDBClient): void {
  const { streamCollector } = config;
  config.streamCollector = async (stream) => {
    const bytes = await streamCollector(stream);
    // The SDK rejects malformed JSON after the brace. White space may precede it.
    if (bytes.find((byte) => byte > 0x20) !== 0x7b) {
      throw new SyntaxError('The response of DynamoDB is not a JSON object.');
    }
    return bytes;
  };
}

/**
 * Returns an environment variable that the stack sets. Throws if the variable is missing. Call this
 * function while Lambda initializes, so that the error shows before the first request.
 */
export function requireVariable(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`The environment variable ${name} is not set.`);
  }
  return value;
}
