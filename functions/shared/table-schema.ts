/** The tables' logical ids, which the stack pins. Locally they are the names of the tables. */
export const tableIds = { plants: 'Plants', accessTokens: 'AccessTokens' } as const;
export type TableName = keyof typeof tableIds;

/**
 * The keys of the Plants table, so that a query returns an owner's plants in order of their ids.
 */
export const plantKey = { partition: 'owner', sort: 'id' } as const;

/**
 * The key of the AccessTokens table, and the attribute with the time (seconds since 1970) after
 * which DynamoDB may remove an item.
 */
export const accessTokenKey = { partition: 'id' } as const;
export const accessTokenExpiry = 'expires';
