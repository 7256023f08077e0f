import { expect } from '@jest/globals';
import type { Answer } from '../contract/description.ts';

/** Fails unless an answer is the refusal that the oracle expects. */
export function expectRefusal(
  { status, body }: Answer,
  expected: { status: number; places: string[] },
): void {
  const { errors = [] } = JSON.parse(body) as { errors?: Record<string, string>[] };
  const places = errors.map(({ pointer, parameter, header }) =>
    pointer !== undefined
      ? `#${pointer}`
      : parameter !== undefined
        ? `?${parameter}`
        : `${header}:`,
  );
  expect({ status, places: [...new Set(places)].sort() }).toEqual(expected);
}
