import type { Operation } from './operations.ts';

/** What an access token may be used for: each scope with the operations that it allows. */
export const scopes = {
  'plants:read': ['listPlants'],
  'plants:write': ['createPlant', 'deletePlant'],
} as const satisfies Record<string, readonly Operation[]>;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];
