/** What an access token can be used for. Not derived from the operations, for small bundles. */
const scopes = ['plants:read', 'plants:write'] as const;
export type Scope = (typeof scopes)[number];
export const allScopes: Scope[] = [...scopes];

/**
 * The operations of the API: each with its method, its path within the stage, and the scope that an
 * access token needs for it.
 */
export const operations = {
  createPlant: { method: 'POST', path: 'plants', scope: 'plants:write' },
  listPlants: { method: 'GET', path: 'plants', scope: 'plants:read' },
  deletePlant: { method: 'DELETE', path: 'plants/{id}', scope: 'plants:write' },
} as const satisfies Record<string, { method: string; path: string; scope: Scope }>;

export type Operation = keyof typeof operations;

/** The largest body that an operation reads. */
export const maxBodyBytes = 16 * 1024;
