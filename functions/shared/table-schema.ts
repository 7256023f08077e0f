/** The tables' logical ids, which the stack pins. Locally they are the names of the tables. */
export const tableIds = { plants: 'Plants', accessTokens: 'AccessTokens' } as const;
export type TableName = keyof typeof tableIds;

/** The key of what owners keep, so that a query returns an owner's items in order of their ids. */
export const ownerKey = { partition: 'owner', sort: 'id' } as const;
/** DynamoDB may remove an item after the time in its expiry (seconds since 1970). */
export const accessTokenKey = { partition: 'id', expiry: 'expires' } as const;

/** Names of attributes: the partition is a string, the others are numbers. */
type TableKey = { partition: string; sort?: string; expiry?: string };
export const tableKeys: Record<TableName, TableKey> = {
  plants: ownerKey,
  accessTokens: accessTokenKey,
};

/**
 * How document clients read numbers: as `NumberValue`, which holds their text, so that no digit is
 * lost and no number of another version is an error.
 */
export const unmarshallOptions = { wrapNumbers: true };
