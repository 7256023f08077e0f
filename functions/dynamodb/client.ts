import type { AgentOptions } from 'node:https';
import {
  type ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import { attempts, timeouts } from '../shared/timeouts.ts';
import { collectJsonObject } from './collect-json-object.ts';
import { HandshakeAgent } from './handshake-agent.ts';
import { protectWrites, RetryStrategy } from './writes.ts';

/**
 * Returns a client of DynamoDB that never retries a write that may have taken effect. Functions use
 * the default config.
 */
export function connect(config = makeFunctionConfig()): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts: attempts,
    // The base that DynamoDB's own strategy has. The SDK's general one is 50.
    retryStrategy: new RetryStrategy({ maxAttempts: attempts, baseDelay: 25 }),
    streamCollector: collectJsonObject,
    ...config,
  });
  // This middleware copies every request and response for a log entry, even without a logger.
  client.middlewareStack.remove('loggerMiddleware');
  protectWrites(client);
  nameAbortedCommands(client);
  return makeDocumentClient(client);
}

const makeFunctionConfig = (): DynamoDBClientConfig => ({
  // The SDK's default chain is not in the bundles. Lambda puts credentials into the environment.
  credentials: fromEnv(),
  requestHandler: requestHandlerOptions(timeouts),
});

/** Returns the options of a request handler with the limits of an attempt, in milliseconds. */
export const requestHandlerOptions = (
  { connection, attempt }: { connection: number; attempt: number },
  agentOptions?: AgentOptions,
): NodeHttpHandlerOptions => ({
  // The agent limits the TLS handshake. The SDK limits the wait for a free connection.
  httpsAgent: new HandshakeAgent(connection, agentOptions),
  connectionTimeout: connection,
  // The first byte, then the next chunk.
  requestTimeout: attempt,
  throwOnRequestTimeout: true,
  socketTimeout: attempt,
});

/** Numbers become `NumberValue`, so that no digit is lost. */
const unmarshallOptions = { wrapNumbers: true };

export const makeDocumentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
  // The document client changes its options.
  DynamoDBDocumentClient.from(client, { unmarshallOptions: { ...unmarshallOptions } });

/**
 * Returns the stored item that made a condition fail. The document client does not convert the
 * items of errors. Throws if the command did not ask for the item, or the database ignores that.
 */
export function requireStoredItem({
  Item,
}: ConditionalCheckFailedException): Record<string, unknown> {
  if (!Item) {
    throw new Error('The database did not return the item that made a condition fail.');
  }
  return unmarshall(Item, unmarshallOptions);
}

/** Makes the error of an aborted command name the command. The SDK's error does not. */
function nameAbortedCommands({ middlewareStack }: DynamoDBClient): void {
  middlewareStack.add((next, { commandName = '' }) => async (args) => {
    try {
      return await next(args);
    } catch (error) {
      if ((error as Error).name !== 'AbortError') {
        throw error;
      }
      const aborted = new Error(`${commandName.replace('Command', '')} was aborted.`);
      throw Object.assign(aborted, { name: 'AbortError' });
    }
  });
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
