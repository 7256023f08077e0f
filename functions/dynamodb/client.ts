import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { attempts, timeouts } from '../shared/timeouts.ts';
import { unmarshallOptions } from '../shared/unmarshall-options.ts';
import { requireObjects } from './answers.ts';
import { lighten, streamCollector } from './lighten.ts';
import { protectWrites, RetryStrategy } from './writes.ts';

/** Connects to DynamoDB. */
export function connect(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts: attempts,
    retryStrategy: new RetryStrategy(attempts),
    // Timeouts of one attempt: connect, first byte, next chunk.
    requestHandler: {
      connectionTimeout: timeouts.connection,
      requestTimeout: timeouts.attempt,
      throwOnRequestTimeout: true,
      socketTimeout: timeouts.attempt,
    },
    streamCollector,
  });
  lighten(client);
  requireObjects(client);
  protectWrites(client);
  return DynamoDBDocumentClient.from(client, { unmarshallOptions });
}

type SdkError = Parameters<typeof isTransientError>[0];

/**
 * Tells whether DynamoDB is throttling, slow or unreachable, so that the same call may succeed
 * later.
 */
export const isUnavailable = (error: unknown): boolean =>
  [isThrottlingError, isTransientError, isServerError].some(
    (holds) => error instanceof Error && holds(error as SdkError),
  );
