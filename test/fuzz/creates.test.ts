import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { sent } from '../support/plant.ts';
import { countOf, testProperty } from '../support/report/property.ts';
import { type Call, openStore, plantsIn, refusalIn } from '../support/service/store.ts';
import { bodies, contentEncodings, contentTypes, mutatedBodies } from './inputs.ts';
import { judgeCreate, type Plant } from './oracle.ts';

let store: Awaited<ReturnType<typeof openStore>>;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.stop());

interface Create {
  body: Buffer;
  types: { value: string; isJson: boolean }[];
  encoding: string | undefined;
  isBase64: boolean;
  /** One case in ten goes over HTTP. */
  digit: number;
}

/** A create is judged as the contract says, by what the creates of its owner before have stored. */
async function createHolds(
  { body, types, encoding, isBase64, digit }: Create,
  owner: string,
  plants: Plant[],
) {
  const isOverHttp = digit === 5;
  const headers = types.map(({ value }): [string, string] => ['Content-Type', value]);
  if (encoding !== undefined) headers.push(['Content-Encoding', encoding]);
  const asBase64 = isBase64 && !isOverHttp;
  const verdict = judgeCreate(types, encoding, asBase64 ? body : Buffer.from(body.toString()));
  const request: Call = { operation: 'createPlant', owner, headers, body, isBase64: asBase64 };
  const created = await store.call(request, isOverHttp);
  if (!('accepted' in verdict)) return expect(refusalIn(created)).toEqual(verdict);

  const { id, ...content } = verdict.accepted;
  const there = plants.find((plant) => plant.id === id);
  const isSame = isDeepStrictEqual(there, verdict.accepted);
  const status = there === undefined ? 201 : isSame ? 200 : 409;
  expect([created.status, body.toString()]).toEqual([status, body.toString()]);
  if (status === 409) return;
  expect(created.headers.location).toBe(`/v1/plants/${id}`);
  expect(JSON.parse(created.body)).toEqual(content);
  if (there) return;
  plants.push(verdict.accepted);
  // Half of the plants are created again, as they were and with other content.
  if (digit < 5) return;
  expect((await store.call(request, isOverHttp)).status).toBe(200);
  const other = sent(id, { ...content, name: content.name === 'Aloe' ? 'Ficus' : 'Aloe' });
  const conflict: Call = {
    ...{ operation: 'createPlant', owner, body: Buffer.from(other) },
    headers: [['Content-Type', 'application/json']],
  };
  expect((await store.call(conflict, isOverHttp)).status).toBe(409);
}

/** So many creates share one list at their end, which shows that nothing else was stored. */
const batch = 20;
let owners = 0;

async function batchHolds(creates: Create[]): Promise<void> {
  owners += 1;
  const owner = `owner-${owners}`;
  const plants: Plant[] = [];
  for (const one of creates) await createHolds(one, owner, plants);
  const inOrder = plants.sort((a, b) => (a.id < b.id ? -1 : 1));
  const listed = await store.call({ operation: 'listPlants', owner });
  expect(plantsIn(listed)).toEqual(inOrder.map(({ id, ...content }) => content));
}

function testCreates(
  name: string,
  whole: number,
  request: Pick<{ [K in keyof Create]: fc.Arbitrary<Create[K]> }, 'body' | 'types' | 'encoding'>,
) {
  const create = fc.record({ ...request, isBase64: fc.boolean(), digit: fc.nat(9) });
  const counts = { short: 40, whole };
  const length = Math.min(batch, countOf(counts));
  testProperty({
    topic: 'Hostile input',
    name,
    outcome: 'Each was answered as the contract asks, and nothing else was stored.',
    counts,
    batch: length,
    cases: fc.array(create, { minLength: length, maxLength: length, size: 'max' }),
    holds: batchHolds,
  });
}

testCreates('create bodies', 100_000, {
  body: bodies,
  types: contentTypes,
  encoding: contentEncodings,
});

testCreates('changed bytes of JSON', 50_000, {
  body: mutatedBodies,
  types: fc.constant([{ value: 'application/json', isJson: true }]),
  encoding: fc.constant(undefined),
});
