/** The tables' logical ids, which the stack pins. Locally they are the names of the tables. */
export const tableIds = { plants: 'Plants', accessTokens: 'AccessTokens' } as const;
export type TableName = keyof typeof tableIds;

/** What the rows of a table are called in texts that programs compose. */
export interface Noun {
  one: string;
  many: string;
}
export const nouns: Record<TableName, Noun> = {
  plants: { one: 'plant', many: 'plants' },
  accessTokens: { one: 'access token', many: 'access tokens' },
};

/** How `npm run plants erase` finds what an owner has in a table. */
export type OwnerRows =
  | { by: 'partition' }
  /** The partition is the owner, a separator that no owner has, and more. */
  | { by: 'start of the partition'; separator: '#' | '/' | '|' }
  | { by: 'attribute'; name: string }
  /** All owners share the table. */
  | { by: 'none' };

/** Names of attributes: the partition is a string, the others are numbers unless it is said. */
export type TableKey = {
  partition: string;
  sort?: string;
  sortType?: 'STRING';
  expiry?: string;
} & (
  | { ownerRows: OwnerRows; partitionType?: never }
  // An owner is a text, so that no partition that is a number begins with one.
  | { ownerRows: Extract<OwnerRows, { by: 'attribute' | 'none' }>; partitionType: 'NUMBER' }
);

/** The key of what owners keep, so that a query returns an owner's items in order of their ids. */
export const ownerKey = {
  partition: 'owner',
  sort: 'id',
  ownerRows: { by: 'partition' },
} as const satisfies TableKey;

/** DynamoDB may remove an item after the time in its expiry (seconds since 1970). */
export const accessTokenKey = {
  partition: 'id',
  expiry: 'expires',
  ownerRows: { by: 'attribute', name: 'owner' },
} as const satisfies TableKey;

export const tableKeys: Record<TableName, TableKey> = {
  plants: ownerKey,
  accessTokens: accessTokenKey,
};
