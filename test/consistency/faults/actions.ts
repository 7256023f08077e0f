import { type Operation, operations } from '../../../functions/shared/operations.ts';
import { functionId, published } from '../../support/service/published.ts';

/** The functions that meet a failing database. */
export type FunctionName = Operation | 'authorizer';
export const functionNames = [...(Object.keys(operations) as Operation[]), 'authorizer'] as const;

interface Access {
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
export const usedActions = {
  ...Object.fromEntries(
    Object.entries(published).map(([name, { table, actions }]) => [
      name,
      { id: functionId(name as Operation), table, actions },
    ]),
  ),
  authorizer: { id: 'Authorizer', table: 'AccessTokens', actions: ['GetItem'] },
} as Record<FunctionName, Access>;
