const pin = (name: string, call: string, scope: string, access: string, ...successes: number[]) => {
  return { function: name, call, scope, access, successes };
};

/**
 * What each operation is, written down a second time and in the order of the operations' table. It
 * imports no row, so that a wrong row there does not make it follow.
 */
export const pinnedOperations = [
  pin('CreatePlant', 'POST /plants', 'plants:write', 'Plants GetItem PutItem', 200, 201),
  pin('ListPlants', 'GET /plants', 'plants:read', 'Plants Query', 200),
  pin('DeletePlant', 'DELETE /plants/{id}', 'plants:write', 'Plants DeleteItem GetItem', 204),
];

/** The variables with the names of the tables, and their keys, written down a second time. */
export const pinnedTables: Record<string, { variable: string; key: object; expiry?: string }> = {
  Plants: { variable: 'PLANTS_TABLE', key: { owner: 'S', id: 'N' } },
  AccessTokens: { variable: 'ACCESS_TOKENS_TABLE', key: { id: 'S' }, expiry: 'expires' },
};
