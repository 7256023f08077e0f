import { type DynamoDBDocumentClient, GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ownerPattern, ownerRule } from '../shared/access-token.ts';
import { allScopes } from '../shared/operations.ts';

// Every message is our own, because valibot's quote the value, which can be a digest or a secret.
const text = v.string('must be text');
const labelRule = 'must be at most 100 characters without control characters';
const digestRule = 'must be 32 bytes';
const secondsRule = 'must be whole seconds since 1970';

const seconds = v.pipe(
  v.instance(NumberValue, secondsRule),
  v.transform(Number),
  v.safeInteger(secondsRule),
);

const owner = v.pipe(text, v.regex(new RegExp(ownerPattern), `must be ${ownerRule}`));
const label = v.pipe(text, v.regex(/^[^\p{Cc}]{0,100}$/u, labelRule));

/** What a new access token is issued with. */
export const grant = v.object({
  owner,
  scopes: v.pipe(
    v.array(v.picklist(allScopes, `must be ${allScopes.join(' or ')}`), 'must be a list'),
    v.minLength(1, 'must be at least one'),
  ),
  label,
});

/** What the table holds of an access token. A token that never expires has no `expires`. */
const accessTokenRecord = v.object(
  {
    id: text,
    digest: v.pipe(
      v.instance(Uint8Array, digestRule),
      v.check((bytes) => bytes.length === 32, digestRule),
    ),
    owner,
    // A later version may have issued the token with scopes that this one does not know.
    scopes: v.pipe(
      v.array(text, 'must be a list'),
      v.transform((scopes) => allScopes.filter((scope) => scopes.includes(scope))),
    ),
    label,
    created: seconds,
    expires: v.optional(seconds),
    revoked: v.optional(seconds),
    /** The id of the token that replaced this one in a rotation. */
    replacedBy: v.optional(text),
  },
  'is missing',
);

export type AccessTokenRecord = v.InferOutput<typeof accessTokenRecord>;

/**
 * Returns whether an access token works at a time (ms since 1970). A token expires at `expires`
 * itself. We check it because DynamoDB's TTL deletes late.
 */
export function statusOf(
  { revoked, expires }: Pick<AccessTokenRecord, 'revoked' | 'expires'>,
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (revoked !== undefined) {
    return 'revoked';
  }
  return expires !== undefined && now >= expires * 1000 ? 'expired' : 'active';
}

/** Returns the faults of a record in words, each with the member's name. */
export const faultsOf = (issues: readonly v.BaseIssue<unknown>[]): string[] =>
  issues.map(({ path, message }) => `${path?.[0]?.key} ${message}`);

/** Parses an item. Throws if it is invalid, so that a damaged record grants no access. */
export function recordOf(item: Record<string, unknown>): AccessTokenRecord {
  const { success, output, issues } = v.safeParse(accessTokenRecord, item);
  if (success) {
    return output;
  }
  const faults = faultsOf(issues).join('; ');
  throw new Error(`The record of the access token ${item.id} is invalid: ${faults}.`);
}

/**
 * Reads the record of an access token. The read is strongly consistent, so that a token works as
 * soon as it is issued.
 */
export async function findRecord(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
): Promise<AccessTokenRecord | undefined> {
  const get = new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true });
  const { Item } = await database.send(get);
  return Item && recordOf(Item);
}
