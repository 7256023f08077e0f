import middy from '@middy/core';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { authorizer, Unauthorized } from './access-tokens/authorizer.ts';
import { findRecord } from './access-tokens/record.ts';
import { environment } from './contract/environment-variables.ts';
import { connect, prime as primeDatabase } from './database.ts';
import { required } from './environment.ts';
import { logError } from './log.ts';

const database = connect();
const find = (id: string) => findRecord(database, required(environment.accessTokensTable), id);

export const handler = middy<APIGatewayTokenAuthorizerEvent, APIGatewayAuthorizerResult>({
  timeoutEarlyInMillis: 500,
})
  .onError(({ error }) => {
    if (error instanceof Unauthorized) return;
    logError('AUTHORIZER_FAILED', {}, error);
    // In words of its own: the gateway goes by the message alone, and a database can say Unauthorized too.
    throw new Error('The access token could not be judged.');
  })
  .handler(authorizer(find));
export const prime = () => primeDatabase(database, () => find('-'));
