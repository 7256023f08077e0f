/** The tables' logical ids, which the stack pins. Locally, they are the table names. */
export const tableIds = { plants: 'Plants', accessTokens: 'AccessTokens' } as const;
export type TableName = keyof typeof tableIds;

/** Attribute names. The partition key is a string, the sort key a number. */
export interface TableKey {
  partition: string;
  sort?: string;
}

export const tableKeys: Record<TableName, TableKey> = {
  // A query returns an owner's plants in order of id.
  plants: { partition: 'owner', sort: 'id' },
  accessTokens: { partition: 'id' },
};
