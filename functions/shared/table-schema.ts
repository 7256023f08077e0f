/** The tables' logical ids, which the stack pins. Locally they are the names of the tables. */
export const tableIds = { plants: 'Plants', accessTokens: 'AccessTokens' } as const;
export type TableName = keyof typeof tableIds;

/** The environment variables with the names of the tables. */
export const tableVariables = {
  plants: 'PLANTS_TABLE',
  accessTokens: 'ACCESS_TOKENS_TABLE',
} as const satisfies Record<TableName, string>;

/** The key of what owners keep, so that a query returns an owner's items in order of their ids. */
export const ownerKey = { partition: 'owner', sort: 'id' } as const;
export const accessTokenKey = { partition: 'id', expiry: 'expires' } as const;

interface TableKey {
  /** The name of an attribute that is a string. */
  partition: string;
  /** The name of an attribute that is a number. */
  sort?: string;
  /** The attribute with the time (seconds since 1970) after which DynamoDB may remove an item. */
  expiry?: string;
}
export const tableKeys: Record<TableName, TableKey> = {
  plants: ownerKey,
  accessTokens: accessTokenKey,
};
