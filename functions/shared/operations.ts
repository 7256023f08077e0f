/**
 * The operations of the API: each with its method, its path within the stage, and the scope that an
 * access token needs for it.
 */
export const operations = {
  createPlant: { method: 'POST', path: 'plants', scope: 'plants:write' },
  listPlants: { method: 'GET', path: 'plants', scope: 'plants:read' },
  deletePlant: { method: 'DELETE', path: 'plants/{id}', scope: 'plants:write' },
} as const satisfies Record<string, { method: string; path: string; scope: string }>;

export type Operation = keyof typeof operations;

/** What an access token can be used for. */
export type Scope = (typeof operations)[Operation]['scope'];

export const allScopes: Scope[] = [
  ...new Set(Object.values(operations).map(({ scope }) => scope)),
].sort();

/** The largest body that an operation reads. */
export const maxBodyBytes = 16 * 1024;
