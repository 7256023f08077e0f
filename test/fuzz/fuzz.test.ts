import './accepted-tokens.suite.ts';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { findJsonObject } from '../../functions/http/json.ts';
import { parse } from '../support/http/http-client.ts';
import { findPlaces } from '../support/openapi/description.ts';
import { testProperty } from '../support/property.ts';
import { call } from '../support/service/functions.ts';
import { bodies, mutatedBodies, numberLiteral } from './bodies.ts';
import { isInt64, judgeBody, parseInteger } from './second-opinion.ts';

interface Create {
  body: Buffer;
  isBase64: boolean;
}

/** The fields that a create may leave out, with their values in responses. */
const defaults = { tag: '' };

/** Each create has its own owner, so that it meets no other plant. */
let owners = 0;

/** Checks a create by the contract, then its repetition. */
async function createHolds({ body, isBase64 }: Create): Promise<void> {
  owners += 1;
  const request = { operation: 'createPlant', owner: `creator-${owners}`, body, isBase64 } as const;
  const verdict = judgeBody('createPlant', isBase64 ? body : Buffer.from(body.toString()));
  const { status, headers, body: text } = await call(request);
  if (!('accepted' in verdict)) {
    return expect({ status, places: findPlaces(text) }).toEqual(verdict);
  }
  const { id: literal = '', ...others } = Object.fromEntries(verdict.accepted);
  const fields = Object.entries(others).map(([name, value]) => [name, JSON.parse(value)]);
  expect([status, body.toString()]).toEqual([201, body.toString()]);
  expect(headers.location).toBe(`/v1/plants/${parseInteger(literal)}`);
  expect(JSON.parse(text)).toEqual({ ...defaults, ...Object.fromEntries(fields) });
  // The stored plant is the same.
  expect((await call(request)).status).toBe(200);
}

testProperty('a body of a create gets the response of the contract', {
  counts: { short: 105, full: 4000 },
  cases: fc.record({
    body: fc.oneof(bodies('createPlant'), mutatedBodies('createPlant')),
    isBase64: fc.boolean(),
  }),
  holds: createHolds,
});

testProperty('an int64 in a body is read to its last digit, and no other number as one', {
  counts: { short: 500, full: 20_000 },
  cases: numberLiteral.filter((literal) => parse(literal) !== undefined),
  async holds(literal) {
    const exact = parseInteger(literal);
    const value = findJsonObject(`{"id":${literal}}`)?.members.id;
    expect(isInt64(value) ? value : undefined).toBe(isInt64(exact) ? exact : undefined);
  },
});
