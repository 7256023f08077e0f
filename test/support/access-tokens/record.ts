import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { findItem } from '../../../functions/access-tokens/record.ts';
import { type AccessTokenRecord, parseRecord } from '../../../lib/tokens/record.ts';

/** Returns the whole record of an access token. */
export async function findRecord(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
): Promise<AccessTokenRecord | undefined> {
  const item = await findItem(database, table, id);
  return item && parseRecord(item);
}
