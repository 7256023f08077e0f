import { type DynamoDBDocumentClient, GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ownerPattern, ownerRule } from '../shared/token-form.ts';

// All messages are our own. Valibot's quote the value, which can be a digest or a secret.
export const textMember = v.string('must be text');
const digestRule = 'must be 32 bytes';
const secondsRule = 'must be whole seconds since 1970';

/** Seconds since 1970 of the last time that a Date can hold. */
const maxSeconds = 8_640_000_000_000;

export const seconds = v.pipe(
  v.instance(NumberValue, secondsRule),
  v.transform(Number),
  v.check((time) => Number.isInteger(time) && time >= 0 && time <= maxSeconds, secondsRule),
);

export const digestBytes = v.pipe(
  v.instance(Uint8Array, digestRule),
  v.check((bytes) => bytes.length === 32, digestRule),
);

/** The access that a token gives. A token that never expires has no `expires`. */
export const access = v.object(
  {
    owner: v.pipe(textMember, v.regex(new RegExp(ownerPattern), `must be ${ownerRule}`)),
    // A later version may have issued the token with scopes that this one does not know.
    scopes: v.array(textMember, 'must be a list'),
    expires: v.optional(seconds),
    revoked: v.optional(seconds),
  },
  'is missing',
);

export type TokenAccess = v.InferOutput<typeof access>;

/** An item of the table of access tokens, which may be damaged. */
export type TokenItem = Record<string, unknown>;

export type TokenStatus = 'active' | 'expired' | 'revoked';

/**
 * Returns the status of an access token at a time (ms since 1970). A token no longer works at
 * `expires` itself.
 */
export function getStatus(
  { revoked, expires }: Pick<TokenAccess, 'revoked' | 'expires'>,
  now: number,
): TokenStatus {
  if (revoked !== undefined) {
    return 'revoked';
  }
  return expires !== undefined && now >= expires * 1000 ? 'expired' : 'active';
}

/** Formats seconds since 1970 as a time of RFC 3339. */
export const formatTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000', '');

/** Describes validation issues, each with the member's name. */
export const describeIssues = (issues: readonly v.BaseIssue<unknown>[]): string[] =>
  issues.map(({ path, message }) => `${path?.[0]?.key} ${message}`);

/** Returns the stored digest of a token, or undefined if it is not 32 bytes. */
export const findDigest = ({ digest }: TokenItem): Uint8Array | undefined =>
  v.is(digestBytes, digest) ? digest : undefined;

/**
 * Returns the access that a record gives. Reads no other member, so that a later version can change
 * the others. Throws if the access is damaged.
 */
export const parseAccess = (item: TokenItem): TokenAccess => parseItem(access, item);

/** Parses an item by a schema. Throws if a member is damaged. */
export function parseItem<Output>(
  schema: v.GenericSchema<unknown, Output>,
  item: TokenItem,
): Output {
  const { success, output, issues } = v.safeParse(schema, item);
  if (success) {
    return output;
  }
  const errors = describeIssues(issues).join('; ');
  throw new Error(`The record of the access token ${item.id} is invalid: ${errors}.`);
}

/**
 * Reads the record of an access token. The read is strongly consistent, so that a token works as
 * soon as it is issued.
 */
export async function findItem(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  options: { abortSignal?: AbortSignal } = {},
): Promise<TokenItem | undefined> {
  const get = new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true });
  const { Item } = await database.send(get, options);
  return Item;
}
