import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { finallyDo } from '../support/cleanup.ts';
import { integerOf, judgeBody } from '../support/openapi/second-opinion.ts';
import { testProperty } from '../support/property.ts';
import { type Call, openStore, plantsIn, refusalIn, type Store } from '../support/service/store.ts';
import { bodies, contentEncodings, contentTypes, mutatedBodies } from './inputs.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore();
  finallyDo(store.stop);
});

const createOf = (body: fc.Arbitrary<Buffer>) =>
  fc.record({
    body,
    types: contentTypes,
    encoding: contentEncodings,
    isBase64: fc.boolean(),
    /** One case in ten goes over HTTP, and half of the plants are created again. */
    digit: fc.nat(9),
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

/** A create is judged as the contract says, by what the creates of its owner before have stored. */
async function createHolds(
  { body, types, encoding, isBase64, digit }: Create,
  owner: string,
  plants: Plant[],
): Promise<void> {
  const isOverHttp = digit === 5;
  const headers = types.map(({ value }): [string, string] => ['Content-Type', value]);
  if (encoding !== undefined) {
    headers.push(['Content-Encoding', encoding]);
  }
  const asBase64 = isBase64 && !isOverHttp;
  const received = asBase64 ? body : Buffer.from(body.toString());
  const verdict = judgeBody('createPlant', types, encoding, received);
  const request: Call = { operation: 'createPlant', owner, headers, body, isBase64: asBase64 };
  const created = await store.call(request, isOverHttp);
  if (!('accepted' in verdict)) {
    return expect(refusalIn(created)).toEqual(verdict);
  }

  const plant = plantIn(verdict.accepted);
  const { id, ...shown } = plant;
  const there = plants.find((other) => other.id === id);
  const repeated = isDeepStrictEqual(there, plant) ? 200 : 409;
  const status = there === undefined ? 201 : repeated;
  expect([created.status, body.toString()]).toEqual([status, body.toString()]);
  if (status === 409) {
    return;
  }
  expect(created.headers.location).toBe(`/v1/plants/${id}`);
  expect(JSON.parse(created.body)).toEqual(shown);
  if (there) {
    return;
  }
  plants.push(plant);
  if (digit < 5) {
    return;
  }
  expect((await store.call(request, isOverHttp)).status).toBe(200);
  const other = plant.name === 'Aloe' ? 'Ficus' : 'Aloe';
  const conflict: Call = {
    operation: 'createPlant',
    owner,
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(`{"id":${id},"name":"${other}"}`),
  };
  expect((await store.call(conflict, isOverHttp)).status).toBe(409);
}

/** What a case that fails has stored belongs to an owner of whom no other case hears. */
let failures = 0;

async function batchHolds(creates: Create[]): Promise<void> {
  const owner = `owner-${failures}`;
  const plants: Plant[] = [];
  try {
    for (const one of creates) {
      await createHolds(one, owner, plants);
    }
    const inOrder = plants.sort((a, b) => (a.id < b.id ? -1 : 1));
    const listed = await store.call({ operation: 'listPlants', owner });
    expect(plantsIn(listed)).toEqual(inOrder.map(({ id, ...shown }) => shown));
    for (const { id } of plants) {
      await store.call({ operation: 'deletePlant', owner, path: { id: `${id}` } });
    }
  } catch (error) {
    failures += 1;
    throw error;
  }
}

/** So many creates share one list at their end, which shows that nothing else was stored. */
const batch = 20;
for (const [name, body, full] of [
  ['a body of a create is answered as the contract asks', bodies, 2000],
  ['a body whose bytes are changed is answered as the contract asks', mutatedBodies, 1000],
] as const) {
  testProperty(name, {
    counts: { short: 4, full: full / batch },
    cases: fc.array(createOf(body), { minLength: batch, maxLength: batch, size: 'max' }),
    holds: batchHolds,
  });
}
