import { createSecureContext } from 'node:tls';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

/**
 * How long one attempt of a command can take, in ms: until the connection stands, until the answer begins (from the start), and between
 * any two pieces of it. A database that hangs is given up after three attempts, so 4.5 s; one that throttles after two pauses of at most
 * 1 and 2 s, or longer where it asks for that. An operation's own limit of time bounds what they add up to.
 */
const patience = {
  connectionTimeout: 1000,
  requestTimeout: 1500,
  throwOnRequestTimeout: true,
  socketTimeout: 1500,
};

/** Connects to DynamoDB. Numbers come back as bigints, so that no digit of an int64 is lost. */
export function connect(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts: 3,
    retryMode: 'standard',
    requestHandler: patience,
  });
  return DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: BigInt } });
}

type SdkError = Parameters<typeof isTransientError>[0];

/** Whether an error means that DynamoDB is throttling, slow or unreachable, by the SDK's own classification: later, the same call may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  [isThrottlingError, isTransientError, isServerError].some(
    (holds) => error instanceof Error && holds(error as SdkError),
  );

/** Whether the SDK sent a command more than once: an earlier answer was lost, or the service failed after it had acted. */
export const wasRetried = (result: { $metadata: { attempts?: number | undefined } }): boolean =>
  (result.$metadata.attempts ?? 1) > 1;

const emptyAnswer = {
  statusCode: 200,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from('{}'),
};

/**
 * Runs `work` once through the whole client, but for the network: every command is answered with `{}`.
 * Called while Lambda initializes, it moves what is loaded and compiled lazily to where the CPU is not throttled.
 */
export async function prime(
  database: DynamoDBDocumentClient,
  work: () => Promise<unknown>,
): Promise<void> {
  const { requestHandler } = database.config;
  database.config.requestHandler = {
    ...requestHandler,
    handle: async () => ({ response: { ...emptyAnswer } as never }),
  };
  try {
    createSecureContext();
    await work();
  } finally {
    database.config.requestHandler = requestHandler;
  }
}
