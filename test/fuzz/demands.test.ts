import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Operation, operationNames } from '../../functions/shared/operations.ts';
import { parse } from '../support/http/http-client.ts';
import { describedOperation, partsOf } from '../support/openapi/description.ts';
import {
  judgeBody,
  judgePath,
  judgeQuery,
  type Verdict,
} from '../support/openapi/second-opinion.ts';
import { bodies, pathsOf, queriesOf } from './inputs.ts';

const sample = <T>(inputs: fc.Arbitrary<T>): T[] => fc.sample(inputs, { numRuns: 600, seed: 7 });
const json = [{ value: 'application/json', isJson: true }];
const membersOf = (body: Buffer) => Object.keys(parse(`${body}`) ?? {}).map((name) => `#/${name}`);

/** Some requests of the fuzzing: their parts, and what the document says of them. */
type Tried = [parts: string[], verdict: Verdict<unknown>];
const triedOf = (operation: Operation): Tried[] => [
  ...(describedOperation(operation).requestBody
    ? sample(bodies).map(
        (body): Tried => [membersOf(body), judgeBody(operation, json, undefined, body)],
      )
    : []),
  ...sample(queriesOf(operation)).map(
    (query): Tried => [query.map(([name]) => `?${name}`), judgeQuery(operation, query)],
  ),
  ...sample(pathsOf(operation)).flatMap((path) =>
    Object.entries(path).map(
      ([name, text]): Tried => [[`?${name}`], judgePath(operation, name, text)],
    ),
  ),
];
const tried = Object.fromEntries(operationNames.map((name) => [name, triedOf(name)]));

const parts = operationNames.flatMap((name) =>
  partsOf(name).map((part): [Operation, string] => [name, part]),
);

test.each(parts)('in requests of %s the fuzzing sends %s, good and bad', (operation, part) => {
  const verdicts = (tried[operation] ?? [])
    .filter(([given]) => given.filter((one) => one === part).length === 1)
    .map(([, verdict]) => verdict);
  const isRefused = (one: Verdict<unknown>) =>
    'places' in one && one.places.some((place) => `${place}/`.startsWith(`${part}/`));
  const lacks = Object.entries({
    'test/fuzz/inputs.ts sends it': verdicts.length > 0,
    'docs/openapi.json accepts it': verdicts.some((one) => 'accepted' in one),
    'docs/openapi.json refuses it': verdicts.some(isRefused),
  }).filter(([, isSo]) => !isSo);
  expect(lacks).toEqual([]);
});
