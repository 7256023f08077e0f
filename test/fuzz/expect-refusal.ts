import { expect } from '@jest/globals';
import { type Answer, type ProblemDetails, placeOf } from '../contract/description.ts';

/** Fails unless an answer is the refusal that the oracle expects. */
export function expectRefusal(
  { status, body }: Answer,
  expected: { status: number; places: string[] },
): void {
  const { errors = [] } = JSON.parse(body) as ProblemDetails;
  expect({ status, places: [...new Set(errors.map(placeOf))].sort() }).toEqual(expected);
}
