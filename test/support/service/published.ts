import type { Operation, Scope } from '../../../functions/shared/operations.ts';

interface Published {
  route: string;
  scope: Scope;
  /** Log codes by status. Metric filters and queries name them. */
  successes: Record<number, string>;
  /** The statuses of its problems. */
  problems: number[];
  /** The table that it uses, and the actions of DynamoDB that it needs there. */
  table: string;
  actions: string[];
}

/**
 * The part of each operation that clients, operators and AWS see. Tests compare the functions, the
 * template and the document with it.
 */
export const published: Record<Operation, Published> = {
  createPlant: {
    route: 'POST /plants',
    scope: 'plants:write',
    successes: { 200: 'PLANT_UNCHANGED', 201: 'PLANT_CREATED' },
    problems: [400, 401, 403, 409, 413, 415, 429, 500, 503],
    table: 'Plants',
    actions: ['GetItem', 'PutItem'],
  },
  listPlants: {
    route: 'GET /plants',
    scope: 'plants:read',
    successes: { 200: 'PLANTS_LISTED' },
    problems: [400, 401, 403, 429, 500, 503],
    table: 'Plants',
    actions: ['Query'],
  },
  deletePlant: {
    route: 'DELETE /plants/{id}',
    scope: 'plants:write',
    successes: { 204: 'PLANT_DELETED' },
    problems: [400, 401, 403, 404, 429, 500, 503],
    table: 'Plants',
    actions: ['DeleteItem', 'GetItem'],
  },
};

/** Returns the logical id of an operation's function. */
export const functionId = (operation: Operation): string =>
  operation.charAt(0).toUpperCase() + operation.slice(1);
