import type { TableName } from './table-schema.ts';

/** The permissions that an access token can have. */
export const allScopes = ['plants:read', 'plants:write'] as const;
export type Scope = (typeof allScopes)[number];

export interface FunctionRow {
  /** The name of the function's file in functions/, without `.ts`. */
  entry: string;
  /** The tables that the function uses, with the DynamoDB actions that it needs and no others. */
  tables: Partial<Record<TableName, readonly string[]>>;
}

interface OperationRow extends FunctionRow {
  method: string;
  /** Relative to the stage. */
  path: string;
  scope: Scope;
  /** The log codes of successes by status. A code never changes. */
  successes: Record<number, string>;
}

/** The operations of the API. The stack, policies and the OpenAPI document follow from them. */
export const operations = {
  createPlant: {
    method: 'POST',
    path: 'plants',
    scope: 'plants:write',
    entry: 'create-plant',
    tables: { plants: ['PutItem', 'GetItem'] },
    successes: { 201: 'PLANT_CREATED', 200: 'PLANT_UNCHANGED' },
  },
  listPlants: {
    method: 'GET',
    path: 'plants',
    scope: 'plants:read',
    entry: 'list-plants',
    tables: { plants: ['Query'] },
    successes: { 200: 'PLANTS_LISTED' },
  },
  deletePlant: {
    method: 'DELETE',
    path: 'plants/{id}',
    scope: 'plants:write',
    entry: 'delete-plant',
    tables: { plants: ['DeleteItem', 'GetItem'] },
    successes: { 204: 'PLANT_DELETED' },
  },
} as const satisfies Record<string, OperationRow>;

export type Operation = keyof typeof operations;

/** The function that checks the access token of each request before its operation. */
export const authorizer = {
  entry: 'authorize',
  tables: { accessTokens: ['GetItem'] },
} as const satisfies FunctionRow;

/** The stage of the API, and the last segment of the base URL. */
export const stageName = 'v1';

export const maxBodyBytes = 16 * 1024;
