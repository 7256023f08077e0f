import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { allScopes } from '../contract/scopes.ts';
import { accessTokenExpiry, accessTokenKey } from '../contract/tables.ts';

const seconds = v.pipe(
  v.bigint(),
  v.transform((value) => Number(value)),
);

/** What is kept of an access token. Times are in seconds since 1970; `expires` is left out of a token that never does. */
export const accessTokenRecord = v.object({
  [accessTokenKey.partition]: v.string(),
  digest: v.pipe(
    v.instance(Uint8Array),
    v.check((bytes) => bytes.length === 32),
  ),
  owner: v.pipe(v.string(), v.minLength(1)),
  scopes: v.pipe(v.array(v.picklist(allScopes)), v.minLength(1)),
  label: v.string(),
  created: seconds,
  [accessTokenExpiry]: v.optional(seconds),
  revoked: v.optional(seconds),
});

export type AccessTokenRecord = v.InferOutput<typeof accessTokenRecord>;

/** Reads the record of an access token, strongly consistent: a token works the moment it was issued. Throws where the item is none. */
export async function findRecord(database: DynamoDBDocumentClient, table: string, id: string): Promise<AccessTokenRecord | undefined> {
  const { Item } = await database.send(new GetCommand({ TableName: table, Key: { [accessTokenKey.partition]: id }, ConsistentRead: true }));
  return Item && v.parse(accessTokenRecord, Item);
}
