import type { TableName } from './table-schema.ts';

/** What an access token allows. Written out, because bundles would grow if it was derived. */
const scopes = ['plants:read', 'plants:write'] as const;
export type Scope = (typeof scopes)[number];
export const allScopes: Scope[] = [...scopes];

interface OperationRow {
  method: string;
  /** Within the stage. */
  path: string;
  /** What an access token needs for it. */
  scope: Scope;
  /** The file of its function in functions/, without `.ts`. */
  entry: string;
  /** The tables that its function uses, each with exactly the actions of DynamoDB that it needs. */
  tables: Partial<Record<TableName, readonly string[]>>;
  /** The statuses of its successes, with the codes of their log lines, which never change. */
  successes: Record<number, string>;
}

/** The operations of the API. Stack, policies and document follow from them. */
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
export const operationNames = /* @__PURE__ */ Object.keys(operations) as Operation[];

/** The stage of the API, in which the base URL ends. */
export const stageName = 'v1';

/** The largest body that an operation reads. */
export const maxBodyBytes = 16 * 1024;
