import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Operation, operationNames } from '../../functions/shared/operations.ts';
import { partsOf } from '../support/description.ts';
import { parse } from '../support/http/http-client.ts';
import { bodies, pathIds, queries } from './inputs.ts';
import { judgeCreate, judgeId, judgeList, type Verdict } from './oracle.ts';

const sample = <T>(inputs: fc.Arbitrary<T>): T[] => fc.sample(inputs, { numRuns: 500, seed: 7 });
const json = [{ value: 'application/json', isJson: true }];
const membersOf = (body: Buffer) => Object.keys(parse(`${body}`) ?? {}).map((name) => `#/${name}`);

/** Some requests of the fuzzing for each operation: their parts, and what the oracle says. */
const tried: Record<Operation, [parts: string[], verdict: Verdict<unknown>][]> = {
  createPlant: sample(bodies).map((body) => [membersOf(body), judgeCreate(json, undefined, body)]),
  listPlants: sample(queries).map((query) => [query.map(([name]) => `?${name}`), judgeList(query)]),
  deletePlant: sample(pathIds).map((id) => [['?id'], judgeId(id)]),
};

const parts = operationNames
  .flatMap((name) => partsOf(name).map((part): [Operation, string] => [name, part]))
  // The property of cursors is an oracle of its own.
  .filter(([, part]) => part !== '?cursor');

test.each(parts)('in requests of %s the fuzzing sends %s, good and bad', (operation, part) => {
  const verdicts = tried[operation]
    .filter(([given]) => given.filter((one) => one === part).length === 1)
    .map(([, verdict]) => verdict);
  const isRefused = (one: Verdict<unknown>) => 'places' in one && one.places.includes(part);
  const lacks = Object.entries({
    'test/fuzz/inputs.ts sends it': verdicts.length > 0,
    'test/fuzz/oracle.ts accepts it': verdicts.some((one) => 'accepted' in one),
    'test/fuzz/oracle.ts refuses it': verdicts.some(isRefused),
  }).filter(([, isSo]) => !isSo);
  expect(lacks).toEqual([]);
});
