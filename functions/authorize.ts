import middy from '@middy/core';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { authorize, Unauthorized } from './access-tokens/authorizer.ts';
import { findDigest, findItem, parseAccess } from './access-tokens/record.ts';
import { digestToken } from './access-tokens/token.ts';
import { connect, requireVariable } from './dynamodb/client.ts';
import { warmUpClient } from './dynamodb/warm-up.ts';
import { logError } from './log.ts';
import { tableVariable } from './shared/environment-variables.ts';
import { timeouts } from './shared/timeouts.ts';

const database = connect();
const table = requireVariable(tableVariable('accessTokens'));

export const handler = middy<APIGatewayTokenAuthorizerEvent, APIGatewayAuthorizerResult>({
  timeoutEarlyInMillis: timeouts.function - timeouts.authorizer,
})
  .onError(({ error }) => {
    if (error instanceof Unauthorized) {
      // Without a result from here, middy throws this error, which becomes a 401.
      return;
    }
    logError('AUTHORIZER_FAILED', {}, error);
    // Use a fixed message, because any error saying Unauthorized, even DynamoDB's, becomes a 401.
    throw new Error('The access token could not be checked.');
  })
  .handler((event, _context, { signal }) => {
    const find = (id: string) => findItem(database, table, id, { abortSignal: signal });
    return authorize(event, find);
  });

/** Reads a record as the handler does. The handler itself is only for requests. */
export function warmUp(): Promise<unknown> {
  const record = {
    digest: { B: digestToken('-').toString('base64') },
    owner: { S: '-' },
    scopes: { L: [{ S: 'plants:read' }] },
    expires: { N: '0' },
  };
  return warmUpClient(database, { Item: record }, async () => {
    const item = await findItem(database, table, '-');
    return item && findDigest(item) && parseAccess(item);
  });
}
