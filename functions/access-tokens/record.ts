import { type DynamoDBDocumentClient, GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ownerPattern, ownerRule } from '../shared/access-token.ts';

// All messages are our own. Valibot's quote the value, which can be a digest or a secret.
const text = v.string('must be text');
const labelRule = 'must be at most 100 characters without control characters';
const digestRule = 'must be 32 bytes';
const secondsRule = 'must be whole seconds since 1970';
const lifetimeRule = 'must be whole seconds, at least 1, or never';

/** Seconds since 1970 of the last time that a Date can hold. */
const maxSeconds = 8_640_000_000_000;

const seconds = v.pipe(
  v.instance(NumberValue, secondsRule),
  v.transform(Number),
  v.check((time) => Number.isInteger(time) && time >= 0 && time <= maxSeconds, secondsRule),
);

/** In seconds, or never. DynamoDB's client wraps numbers. */
const lifetime = v.pipe(
  v.union([v.number(), v.instance(NumberValue), v.literal('never')], lifetimeRule),
  v.transform((given) => (given === 'never' ? given : Number(given))),
  v.check((given) => given === 'never' || (Number.isInteger(given) && given >= 1), lifetimeRule),
);

export type Lifetime = v.InferOutput<typeof lifetime>;

const digestBytes = v.pipe(
  v.instance(Uint8Array, digestRule),
  v.check((bytes) => bytes.length === 32, digestRule),
);
const owner = v.pipe(text, v.regex(new RegExp(ownerPattern), `must be ${ownerRule}`));
const label = v.pipe(text, v.regex(/^[^\p{Cc}]{0,100}$/u, labelRule));

/** The input for a new access token. */
export const newToken = v.object({
  owner,
  // A rotation may pass on a scope of a later version.
  scopes: v.pipe(
    v.array(text, 'must be a list'),
    v.minLength(1, 'must be at least one'),
    v.readonly(),
  ),
  label,
  lifetime,
});

export type NewToken = v.InferOutput<typeof newToken>;

/** The access that a token gives. A token that never expires has no `expires`. */
const access = v.object(
  {
    owner,
    // A later version may have issued the token with scopes that this one does not know.
    scopes: v.array(text, 'must be a list'),
    expires: v.optional(seconds),
    revoked: v.optional(seconds),
  },
  'is missing',
);

export type TokenAccess = v.InferOutput<typeof access>;

const accessTokenRecord = v.object(
  {
    id: text,
    digest: digestBytes,
    ...access.entries,
    label,
    created: seconds,
    /** Missing in records of version 1.0.0. */
    lifetime: v.optional(lifetime),
  },
  'is missing',
);

export type AccessTokenRecord = v.InferOutput<typeof accessTokenRecord>;

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
export const readDigest = ({ digest }: TokenItem): Uint8Array | undefined =>
  v.is(digestBytes, digest) ? digest : undefined;

/**
 * Returns the access that a record gives. Reads no other member, so that a later version can change
 * the others. Throws if the access is damaged.
 */
export const readAccess = (item: TokenItem): TokenAccess => parse(access, item);

/**
 * Returns the access that a record gives, or undefined if the authorizer accepts no token for it.
 */
export function findAccess(item: TokenItem): TokenAccess | undefined {
  const { success, output } = v.safeParse(access, item);
  return success && readDigest(item) ? output : undefined;
}

/** Returns all members of a record. Throws if one is damaged. */
export const parseRecord = (item: TokenItem): AccessTokenRecord => parse(accessTokenRecord, item);

function parse<Output>(schema: v.GenericSchema<unknown, Output>, item: TokenItem): Output {
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
