/** The tables' logical ids, which the stack pins. Locally they are the names of the tables. */
export const tableIds = { plants: 'Plants', accessTokens: 'AccessTokens' } as const;
export type TableName = keyof typeof tableIds;

/** Names of attributes: the partition key is a string, and the sort key is a number. */
export interface TableKey {
  partition: string;
  sort?: string;
  /** DynamoDB may remove an item after this time (seconds since 1970). */
  expiry?: string;
}

export const tableKeys: Record<TableName, TableKey> = {
  // A query returns an owner's plants in the order of their ids.
  plants: { partition: 'owner', sort: 'id' },
  accessTokens: { partition: 'id', expiry: 'expires' },
};
