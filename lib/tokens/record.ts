import { NumberValue } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  access,
  digestBytes,
  findDigest,
  parseItem,
  seconds,
  type TokenAccess,
  type TokenItem,
  textMember,
} from '../../functions/access-tokens/record.ts';

const labelRule = 'must be at most 100 characters without control characters';
const lifetimeRule = 'must be whole seconds, at least 1, or never';

/** In seconds, or never. DynamoDB's client wraps numbers. */
const lifetime = v.pipe(
  v.union([v.number(), v.instance(NumberValue), v.literal('never')], lifetimeRule),
  v.transform((given) => (given === 'never' ? given : Number(given))),
  v.check((given) => given === 'never' || (Number.isInteger(given) && given >= 1), lifetimeRule),
);

export type Lifetime = v.InferOutput<typeof lifetime>;

const label = v.pipe(textMember, v.regex(/^[^\p{Cc}]{0,100}$/u, labelRule));

/** The input for a new access token. */
export const newToken = v.object({
  owner: access.entries.owner,
  // A rotation may pass on a scope of a later version.
  scopes: v.pipe(access.entries.scopes, v.minLength(1, 'must be at least one'), v.readonly()),
  label,
  lifetime,
});

export type NewToken = v.InferOutput<typeof newToken>;

const accessTokenRecord = v.object(
  {
    id: textMember,
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

/** Returns all members of a record. Throws if one is damaged. */
export const parseRecord = (item: TokenItem): AccessTokenRecord =>
  parseItem(accessTokenRecord, item);

/**
 * Returns the access that a record gives, or undefined if the authorizer accepts no token for it.
 */
export function findAccess(item: TokenItem): TokenAccess | undefined {
  const { success, output } = v.safeParse(access, item);
  return success && findDigest(item) ? output : undefined;
}
