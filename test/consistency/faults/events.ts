import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { forge } from '../../support/access-tokens/forge.ts';
import { proxyEvent, tokenEvent } from '../../support/service/proxy-event.ts';
import type { Call } from './every-function.ts';

/** The files of the functions. */
export const entries: Record<Call, string> = {
  create: 'create-plant',
  list: 'list-plants',
  delete: 'delete-plant',
  authorizer: 'authorize',
};

/**
 * Returns the event of a call about a subject: an owner, or the id of an access token, which is
 * stored before.
 */
export async function eventOf(
  database: DynamoDBDocumentClient,
  call: Call,
  subject: string,
): Promise<object> {
  const authorizer = { owner: subject };
  switch (call) {
    case 'create':
      return proxyEvent({ authorizer, body: '{"id":7,"name":"Aloe"}' });
    case 'list':
      return proxyEvent({ authorizer });
    case 'delete':
      return proxyEvent({ authorizer, path: '/v1/plants/7', pathParameters: { id: '7' } });
    case 'authorizer':
      return tokenEvent(`Bearer ${await storeToken(database, subject)}`);
  }
}

async function storeToken(database: DynamoDBDocumentClient, id: string): Promise<string> {
  const token = forge(id);
  const digest = createHash('sha256').update(token).digest();
  const record = { id, digest, owner: 'alice', scopes: ['plants:read'], label: '', created: 1 };
  await database.send(new PutCommand({ TableName: tableIds.accessTokens, Item: record }));
  return token;
}
