import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { openDatabase } from '../support/database/engine.ts';
import { integerOf, judgeBody } from '../support/openapi/second-opinion.ts';
import { testProperty } from '../support/property.ts';
import { type Call, loadFunctions, plantsIn, refusalIn } from '../support/service/functions.ts';
import { bodies, contentEncodings, contentTypes, mutatedBodies } from './inputs.ts';

const { endpoint } = await openDatabase();
const { call } = await loadFunctions(endpoint);

const createOf = (body: fc.Arbitrary<Buffer>) =>
  fc.record({
    body,
    types: contentTypes,
    encoding: contentEncodings,
    isBase64: fc.boolean(),
    isRepeated: fc.boolean(),
  });
type Create = ReturnType<typeof createOf> extends fc.Arbitrary<infer One> ? One : never;

interface Plant {
  id: bigint;
  name: string;
  tag: string;
}

/** Returns the plant in a body whose members have these texts. */
function plantIn(members: Map<string, string>): Plant {
  const textOf = (name: string) => JSON.parse(members.get(name) ?? '""') as string;
  return { id: integerOf(`${members.get('id')}`) ?? 0n, name: textOf('name'), tag: textOf('tag') };
}

/** Checks a create by the contract, given the plants that its owner has. */
async function createHolds(
  { body, types, encoding, isBase64, isRepeated }: Create,
  owner: string,
  plants: Plant[],
): Promise<void> {
  const headers = types.map(({ value }): [string, string] => ['Content-Type', value]);
  if (encoding !== undefined) {
    headers.push(['Content-Encoding', encoding]);
  }
  const received = isBase64 ? body : Buffer.from(body.toString());
  const verdict = judgeBody('createPlant', types, encoding, received);
  const request: Call = { operation: 'createPlant', owner, headers, body, isBase64 };
  const created = await call(request);
  if (!('accepted' in verdict)) {
    return expect(refusalIn(created)).toEqual(verdict);
  }

  const plant = plantIn(verdict.accepted);
  const { id, ...publicFields } = plant;
  const there = plants.find((other) => other.id === id);
  const repeated = isDeepStrictEqual(there, plant) ? 200 : 409;
  const status = there === undefined ? 201 : repeated;
  expect([created.status, body.toString()]).toEqual([status, body.toString()]);
  if (status === 409) {
    return;
  }
  expect(created.headers.location).toBe(`/v1/plants/${id}`);
  expect(JSON.parse(created.body)).toEqual(publicFields);
  if (there) {
    return;
  }
  plants.push(plant);
  if (!isRepeated) {
    return;
  }
  expect((await call(request)).status).toBe(200);
  const other = plant.name === 'Aloe' ? 'Ficus' : 'Aloe';
  const conflict: Call = {
    operation: 'createPlant',
    owner,
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(`{"id":${id},"name":"${other}"}`),
  };
  expect((await call(conflict)).status).toBe(409);
}

/** A case that fails leaves plants, so the next one gets a new owner. */
let failures = 0;

async function batchHolds(creates: Create[]): Promise<void> {
  const owner = `owner-${failures}`;
  const plants: Plant[] = [];
  try {
    for (const one of creates) {
      await createHolds(one, owner, plants);
    }
    const inOrder = plants.sort((a, b) => (a.id < b.id ? -1 : 1));
    const listed = await call({ operation: 'listPlants', owner });
    expect(plantsIn(listed)).toEqual(inOrder.map(({ id, ...publicFields }) => publicFields));
    for (const { id } of plants) {
      await call({ operation: 'deletePlant', owner, path: { id: `${id}` } });
    }
  } catch (error) {
    failures += 1;
    throw error;
  }
}

/** Creates that share one list at their end. The list shows that nothing else was stored. */
const batch = 20;
for (const [name, body, full] of [
  ['a body of a create gets the response of the contract', bodies, 2000],
  ['a body with changed bytes gets the response of the contract', mutatedBodies, 1000],
] as const) {
  testProperty(name, {
    counts: { short: 4, full: full / batch },
    cases: fc.array(createOf(body), { minLength: batch, maxLength: batch, size: 'max' }),
    holds: batchHolds,
  });
}
