/** Keys of the Plants table: an owner's plants are one item collection, in the order of their ids. */
export const plantKey = { partition: 'owner', sort: 'id' } as const;

/** Key of the AccessTokens table, and the attribute (seconds since 1970) after which DynamoDB may remove an item. */
export const accessTokenKey = { partition: 'id' } as const;
export const accessTokenExpiry = 'expires';
