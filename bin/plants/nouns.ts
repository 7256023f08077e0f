import type { TableName } from '../../functions/shared/table-schema.ts';

/** What the rows of a table are called. */
export const nouns: Record<TableName, { one: string; many: string }> = {
  plants: { one: 'plant', many: 'plants' },
  accessTokens: { one: 'access token', many: 'access tokens' },
};
