import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { type InputSchemas, parseInput } from '../../functions/http/input.ts';
import { Problem } from '../../functions/http/problem.ts';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { queryParameters } from '../contract/query-parameters.ts';
import { bodies, oddName, parameterText } from '../fuzz/bodies.ts';
import { judgeBody, judgeParameters } from '../fuzz/second-opinion.ts';
import { findBody, findOperation, findPlaces } from '../support/openapi/description.ts';
import { testProperty } from '../support/property.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// Holds the schemas of each operation against docs/openapi.json.

const names = Object.keys(operations) as Operation[];
/** The schemas that the functions give to `operation`. */
const schemas = new Map<Operation, InputSchemas>();
const given: InputSchemas[] = [];
jest.unstable_mockModule('../../functions/http/operation.ts', () => ({
  operation: (schemas: InputSchemas) => given.push(schemas),
}));
Object.assign(process.env, functionVariables('http://127.0.0.1:9'));
for (const name of names) {
  await import(`../../functions/${operations[name].entry}.ts`);
  schemas.set(name, given.pop() ?? {});
}

type Part = keyof InputSchemas;
/** Returns the places of the errors that an operation finds in a part of an event. */
function findErrors(name: Operation, part: Part, given: Parameters<typeof proxyEvent>[0]) {
  try {
    parseInput({ [part]: schemas.get(name)?.[part] }, proxyEvent(given));
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error;
    }
    return findPlaces(JSON.stringify(error.toJson('')));
  }
}

const findMembers = (name: Operation, part: Part) =>
  Object.keys(schemas.get(name)?.[part]?.entries ?? {}).sort();
const describedParameters = (name: Operation, place: Part) =>
  (findOperation(name).parameters ?? []).filter((one) => one.in === place);

test.each(names)('docs/openapi.json has each member and parameter of %s, and no other', (name) => {
  expect(findMembers(name, 'body')).toEqual(Object.keys(findBody(name)?.properties ?? {}).sort());
  for (const place of ['path', 'query'] as const) {
    const described = describedParameters(name, place).map((one) => one.name);
    expect(findMembers(name, place)).toEqual(described.sort());
  }
});

test.each(names)('test/contract/query-parameters.ts has each query parameter of %s', (name) => {
  expect(Object.keys(queryParameters[name] ?? {}).sort()).toEqual(findMembers(name, 'query'));
});

test.each(names)('%s accepts the examples of its body and parameters', (name) => {
  const example = findOperation(name).requestBody?.content['application/json']?.example;
  if (example !== undefined) {
    expect(findErrors(name, 'body', { body: JSON.stringify(example) })).toEqual([]);
  }
  for (const place of ['path', 'query'] as const) {
    const examples = describedParameters(name, place)
      .filter((one) => one.example !== undefined)
      .map((one) => [one.name, `${one.example}`]);
    const given = Object.fromEntries(examples);
    expect(judgeParameters(name, place, wrap(given))).toEqual([]);
    expect(findErrors(name, place, makeParameters(place, wrap(given)))).toEqual([]);
  }
});

const wrap = (values: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

/** Returns the members of an event with these parameters. */
function makeParameters(place: 'path' | 'query', values: Record<string, string[]>) {
  const encoded = Object.entries(values).map(([name, [value = '']]) => [
    name,
    encodeURIComponent(value),
  ]);
  return place === 'query' ? { query: values } : { pathParameters: Object.fromEntries(encoded) };
}

for (const name of names.filter((one) => schemas.get(one)?.body)) {
  testProperty(`${name} accepts a body if docs/openapi.json does`, {
    counts: { short: 300, full: 3000 },
    cases: bodies(name),
    async holds(body) {
      const given = { body: body.toString('base64'), isBase64Encoded: true };
      const verdict = judgeBody(name, body);
      const expected = 'accepted' in verdict ? [] : verdict.places;
      expect(findErrors(name, 'body', given)).toEqual(expected);
    },
  });
}

for (const name of names.filter((one) => schemas.get(one)?.path)) {
  const texts = describedParameters(name, 'path').map(
    (one) => [one.name, parameterText(one.schema).map((text) => text.toWellFormed())] as const,
  );
  testProperty(`${name} accepts path parameters if docs/openapi.json does`, {
    counts: { short: 1000, full: 10_000 },
    cases: fc.record(Object.fromEntries(texts)),
    async holds(values) {
      const expected = judgeParameters(name, 'path', wrap(values));
      expect(findErrors(name, 'path', makeParameters('path', wrap(values)))).toEqual(expected);
    },
  });
}

for (const name of names.filter((one) => schemas.get(one)?.query)) {
  const pairs = describedParameters(name, 'query').map((one) => {
    const { good, bad } = queryParameters[name]?.[one.name] ?? { good: '', bad: '' };
    const values = fc.constantFrom(decodeURIComponent(good), decodeURIComponent(bad));
    return fc.tuple(fc.constant(one.name), fc.oneof(values, parameterText(one.schema)));
  });
  const odd = fc.tuple(oddName, oddName);
  testProperty(`${name} accepts query parameters if docs/openapi.json does`, {
    counts: { short: 1000, full: 10_000 },
    cases: fc.array(fc.oneof(...pairs.map((arbitrary) => ({ weight: 5, arbitrary })), odd), {
      maxLength: 3,
    }),
    async holds(parameters) {
      const query: Record<string, string[]> = Object.create(null);
      for (const [parameter, value] of parameters) {
        query[parameter] = [...(query[parameter] ?? []), value];
      }
      const expected = judgeParameters(name, 'query', query);
      expect(findErrors(name, 'query', { query })).toEqual(expected);
    },
  });
}
