import { type Operation, operations } from './operations.ts';

/** What an access token can be used for. */
export type Scope = (typeof operations)[Operation]['scope'];

export const allScopes: Scope[] = [
  ...new Set(Object.values(operations).map(({ scope }) => scope)),
].sort();
