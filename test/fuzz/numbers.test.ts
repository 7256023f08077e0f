import { expect } from '@jest/globals';
import { parseJsonObject } from '../../functions/http/json.ts';
import { parse } from '../support/http/http-client.ts';
import { integerOf } from '../support/openapi/second-opinion.ts';
import { testProperty } from '../support/property.ts';
import { numberLiteral } from './inputs.ts';

const isInt64 = (value: unknown): value is bigint =>
  typeof value === 'bigint' && BigInt.asIntN(64, value) === value;

testProperty('an int64 in a body is read to its last digit, and no other number as one', {
  counts: { short: 2000, full: 20_000 },
  cases: numberLiteral.filter((literal) => parse(literal) !== undefined),
  async holds(literal) {
    const exact = integerOf(literal);
    const value = parseJsonObject(`{"id":${literal}}`)?.members.id;
    expect(isInt64(value) ? value : undefined).toBe(isInt64(exact) ? exact : undefined);
  },
});
