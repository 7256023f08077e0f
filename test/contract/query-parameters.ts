import type { Operation } from '../../functions/shared/operations.ts';

interface QueryParameter {
  /** A value, percent-encoded, that the plants of the tests match. */
  good: string;
  bad: string;
}

/** The query parameters of the operations. */
export const queryParameters: Partial<Record<Operation, Record<string, QueryParameter>>> = {
  listPlants: {
    limit: { good: '1', bad: '0' },
    // After the plant with the id 7.
    cursor: { good: '1AAAAAAAAAAc', bad: '1AAAAAAAAAAd' },
  },
};
