import { operations } from '../../functions/shared/operations.ts';

/** The size of the pictures of the reference, with room for every operation. */
export const referenceSize = { width: 1000, height: 480 + 55 * Object.keys(operations).length };
