import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ownerPattern } from '../contract/access-token.ts';
import { allScopes } from '../contract/scopes.ts';
import { accessTokenExpiry, accessTokenKey } from '../contract/table-keys.ts';

/** A document client gives numbers as it was told to: as bigints or not. */
const seconds = v.pipe(v.union([v.number(), v.bigint()]), v.transform(Number), v.safeInteger());

/** What is kept of an access token. Times are in seconds since 1970; `expires` is left out of a token that never does. */
export const accessTokenRecord = v.object({
  [accessTokenKey.partition]: v.string(),
  digest: v.pipe(
    v.instance(Uint8Array),
    v.check((bytes) => bytes.length === 32),
  ),
  owner: v.pipe(
    v.string(),
    v.regex(new RegExp(ownerPattern), 'must be 1 to 128 letters, digits and . _ @ -'),
  ),
  scopes: v.pipe(
    v.array(v.picklist(allScopes, `must be ${allScopes.join(' or ')}`)),
    v.minLength(1, 'must be at least one'),
  ),
  label: v.pipe(
    v.string(),
    v.regex(
      /^[^\p{Cc}]{0,100}$/u,
      'must be at most 100 characters, no control characters among them',
    ),
  ),
  created: seconds,
  [accessTokenExpiry]: v.optional(seconds),
  revoked: v.optional(seconds),
});

export type AccessTokenRecord = v.InferOutput<typeof accessTokenRecord>;

/** Whether an access token can be used at a time (ms since 1970). It is over at its expiry, not after it: DynamoDB's TTL runs late. */
export function statusOf(
  { revoked, expires }: Pick<AccessTokenRecord, 'revoked' | 'expires'>,
  now: number,
) {
  if (revoked !== undefined) return 'revoked';
  return expires !== undefined && now >= expires * 1000 ? 'expired' : 'active';
}

/** Takes an item of the table for what it is. Throws where it is no record: nobody gets in by a damaged one. */
export function recordOf(item: Record<string, unknown>): AccessTokenRecord {
  const { success, output, issues } = v.safeParse(accessTokenRecord, item);
  if (success) return output;
  const faults = issues.map(({ path, message }) => `${path?.[0].key}: ${message}`);
  throw new Error(
    `The item ${item[accessTokenKey.partition]} is not the record of an access token (${faults.join('; ')}).`,
  );
}

/** Reads the record of an access token, strongly consistent: a token works the moment it was issued. Throws where the item is none. */
export async function findRecord(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
): Promise<AccessTokenRecord | undefined> {
  const { Item } = await database.send(
    new GetCommand({
      TableName: table,
      Key: { [accessTokenKey.partition]: id },
      ConsistentRead: true,
    }),
  );
  return Item && recordOf(Item);
}
