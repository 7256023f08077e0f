import { expect } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonObject } from '../../functions/http/json.ts';
import { parse } from '../support/http/http-client.ts';
import { judgeBody, parseInteger } from '../support/openapi/second-opinion.ts';
import { makeFields } from '../support/plant.ts';
import { testProperty } from '../support/property.ts';
import { type Call, parseRefusal } from '../support/service/functions.ts';
import { call } from './functions.ts';
import { bodies, mutatedBodies, numberLiteral } from './inputs.ts';

interface Create {
  body: Buffer;
  isBase64: boolean;
}

/** Each create has its own owner, so that it meets no other plant. */
let owners = 0;

/** Checks a create by the contract, then its repetition. */
async function createHolds({ body, isBase64 }: Create): Promise<void> {
  owners += 1;
  const owner = `creator-${owners}`;
  const headers: [string, string][] = [['Content-Type', 'application/json']];
  const request: Call = { operation: 'createPlant', owner, headers, body, isBase64 };
  const verdict = judgeBody('createPlant', isBase64 ? body : Buffer.from(body.toString()));
  const created = await call(request);
  if (!('accepted' in verdict)) {
    return expect(parseRefusal(created)).toEqual(verdict);
  }
  const members = verdict.accepted;
  const { id: literal = '', ...others } = Object.fromEntries(members);
  const id = parseInteger(literal);
  const fields = Object.entries(others).map(([name, value]) => [name, JSON.parse(value)]);
  expect([created.status, body.toString()]).toEqual([201, body.toString()]);
  expect(created.headers.location).toBe(`/v1/plants/${id}`);
  expect(JSON.parse(created.body)).toEqual(makeFields(Object.fromEntries(fields)));
  // The stored plant is the same.
  expect((await call(request)).status).toBe(200);
}

for (const [title, body, counts] of [
  ['a body of a create gets the response of the contract', bodies, { short: 65, full: 3000 }],
  [
    'a body with changed bytes gets the response of the contract',
    mutatedBodies,
    { short: 40, full: 1000 },
  ],
] as const) {
  testProperty(title, {
    counts,
    cases: fc.record({ body, isBase64: fc.boolean() }),
    holds: createHolds,
  });
}

const isInt64 = (value: unknown): value is bigint =>
  typeof value === 'bigint' && BigInt.asIntN(64, value) === value;

testProperty('an int64 in a body is read to its last digit, and no other number as one', {
  counts: { short: 500, full: 20_000 },
  cases: numberLiteral.filter((literal) => parse(literal) !== undefined),
  async holds(literal) {
    const exact = parseInteger(literal);
    const value = parseJsonObject(`{"id":${literal}}`)?.members.id;
    expect(isInt64(value) ? value : undefined).toBe(isInt64(exact) ? exact : undefined);
  },
});
