import type { Operation } from '../../../functions/shared/operations.ts';

/** The names of the operations in the tables of faults. */
export const callNames = {
  createPlant: 'create',
  listPlants: 'list',
  deletePlant: 'delete',
} as const satisfies Record<Operation, string>;

/** The calls whose functions meet a failing database. The authorizer is asked with a list. */
export type Call = (typeof callNames)[Operation] | 'authorizer';
export const calls: Call[] = [...Object.values(callNames), 'authorizer'];

interface Access {
  call: Call;
  /** The function's logical id. */
  id: string;
  /** The table's logical id. */
  table: string;
  actions: string[];
}

/**
 * The actions of DynamoDB that each function uses. The tests of faults compare this table with the
 * functions' requests, and those of the stack with the functions' roles.
 */
export const usedActions: Access[] = [
  { call: 'create', id: 'CreatePlant', table: 'Plants', actions: ['GetItem', 'PutItem'] },
  { call: 'list', id: 'ListPlants', table: 'Plants', actions: ['Query'] },
  { call: 'delete', id: 'DeletePlant', table: 'Plants', actions: ['DeleteItem', 'GetItem'] },
  { call: 'authorizer', id: 'Authorizer', table: 'AccessTokens', actions: ['GetItem'] },
];
