import middy from '@middy/core';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { authorizer, Unauthorized } from './access-tokens/authorizer.ts';
import { findRecord } from './access-tokens/record.ts';
import { environment } from './contract/environment-variables.ts';
import { waits } from './contract/waits.ts';
import { connect, prime as primeDatabase } from './database.ts';
import { required } from './environment.ts';
import { logError } from './log.ts';

const database = connect();
const find = (id: string) => findRecord(database, required(environment.accessTokensTable), id);

export const handler = middy<APIGatewayTokenAuthorizerEvent, APIGatewayAuthorizerResult>({
  timeoutEarlyInMillis: waits.function - waits.authorizer,
})
  .onError(({ error }) => {
    if (error instanceof Unauthorized) return;
    logError('AUTHORIZER_FAILED', {}, error);
    // Use a fixed message, because any error saying Unauthorized, even DynamoDB's, becomes a 401.
    throw new Error('The access token could not be judged.');
  })
  .handler(authorizer(find));

/** Called by start.mjs (lib/bundle.ts) while Lambda initializes the function. */
export const prime = () => primeDatabase(database, () => find('-'));
