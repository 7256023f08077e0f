import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonObject } from '../../functions/http/json.ts';
import { numberLiteral } from '../fuzz/inputs.ts';
import { parse } from '../support/http/http-client.ts';
import { integerOf } from '../support/openapi/second-opinion.ts';

test('numbers are read as the oracle of the fuzzing reads them, to every digit', () => {
  const random = fc.sample(numberLiteral, { numRuns: 4000, seed: 42 });
  const literals = random.filter((text) => parse(text) !== undefined);
  const long = [`1${'0'.repeat(400)}e-400`, `0.${'0'.repeat(400)}1e401`];
  for (const literal of [...long, ...literals]) {
    const exact = long.includes(literal) ? 1n : integerOf(literal);
    const value = parseJsonObject(`{"id":${literal}}`)?.members.id;
    const isInt64 = typeof exact === 'bigint' && BigInt.asIntN(64, exact) === exact;
    // What is no int64 is read as a fraction, or as an integer that is outside too.
    const isRead = typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
    expect([literal, isRead ? value : undefined]).toEqual([literal, isInt64 ? exact : undefined]);
  }
});
