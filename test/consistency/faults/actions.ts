import type { Call } from './every-function.ts';

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
