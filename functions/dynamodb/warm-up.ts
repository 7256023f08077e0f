import { Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { logError } from '../log.ts';

/**
 * Warms up: makes a call to the database, to which `answer` is the answer, without sending it. Call
 * it while Lambda initializes the function, because the CPU is not throttled then. Never rejects,
 * because the function works without it too.
 */
export async function warmUpClient(
  { config }: DynamoDBDocumentClient,
  answer: object,
  call: () => Promise<unknown>,
): Promise<void> {
  const { requestHandler } = config;
  const handle = async () => ({
    response: {
      statusCode: 200,
      headers: {},
      body: Readable.from([Buffer.from(JSON.stringify(answer))]),
    },
  });
  config.requestHandler = Object.assign(Object.create(requestHandler), { handle });
  try {
    // The first TLS context parses the certificates that Node trusts.
    createSecureContext();
    await call();
  } catch (error) {
    logError('PRIMING_FAILED', {}, error);
  } finally {
    config.requestHandler = requestHandler;
  }
}
