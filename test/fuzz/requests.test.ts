import { afterAll, beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { type Operation, operationNames } from '../../functions/shared/operations.ts';
import { answered, sent } from '../support/plant.ts';
import { testProperty } from '../support/report/property.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { openStore, plantsIn } from '../support/service/store.ts';
import { expectRefusal } from './expect-refusal.ts';
import { mutateText, oddValues, otherCursors, pathIds, queries, textMutations } from './inputs.ts';
import { judgeId, judgeList } from './oracle.ts';

let store: Awaited<ReturnType<typeof openStore>>;
const owner = 'alice';
/** Has a plant under the ids that Alice is likely to use, and must not be noticed. */
const other = 'bob';
const otherIds = [0n, 1n, -1n, 7n, 2n ** 31n, 2n ** 63n - 1n, -(2n ** 63n)];
const carol = 'carol';
const carolsIds = [-(2n ** 63n), -5n, -1n, 0n, 3n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const sorted = carolsIds.map((id) => answered({ name: `Plant ${id}` }));
const cursors: string[] = [];
/** The keys of all plants that are there from the beginning to the end. */
const standing = [
  ...otherIds.map((id) => `${other} ${id}`),
  ...carolsIds.map((id) => `${carol} ${id}`),
];

const json: [string, string] = ['Content-Type', 'application/json'];
const create = (id: bigint, name = 'Aloe', as = owner) =>
  store.call({
    operation: 'createPlant',
    owner: as,
    headers: [json],
    body: Buffer.from(sent(id, { name })),
  });
const list = (as = owner, query: [string, string][] = [], isOverHttp = false) =>
  store.call({ operation: 'listPlants', owner: as, query }, isOverHttp);
const remove = (id: string, isOverHttp = false) =>
  store.call({ operation: 'deletePlant', owner, id }, isOverHttp);

beforeAll(async () => {
  store = await openStore();
  for (const id of otherIds) await create(id, 'Another owner’s', other);
  for (const id of carolsIds) await create(id, `Plant ${id}`, carol);
  let { link } = (await list(carol, [['limit', '1']])).headers;
  for (const _ of carolsIds) {
    const [, cursor] = /cursor=([\w.~-]+)>; rel="next"$/.exec(link ?? '') ?? [];
    if (cursor === undefined) break;
    cursors.push(cursor);
    ({ link } = (await list(carol, Object.entries({ limit: '1', cursor }))).headers);
  }
  expect(cursors).toHaveLength(carolsIds.length - 1);
});
afterAll(async () => {
  // A service that goes on would keep jest from ending.
  const left = await list(other).finally(store.stop);
  expect(plantsIn(left)).toEqual(otherIds.map(() => answered({ name: 'Another owner’s' })));
});

/** One case in ten goes over HTTP. */
const overHttp = fc.nat(9).map((digit) => digit === 5);

/** Tries a property. What it stores does not outlive a case that fails. */
const testCases = <T>(
  name: string,
  cases: fc.Arbitrary<T>,
  holds: (one: T, isOverHttp: boolean) => Promise<void>,
) =>
  testProperty({
    topic: 'Hostile input',
    name,
    outcome: 'Every answer was as the contract asks.',
    counts: { short: 30, whole: 50_000 },
    cases: fc.tuple(cases, overHttp),
    async holds([one, isOverHttp]) {
      try {
        await holds(one, isOverHttp);
      } catch (error) {
        await store.clear(owner);
        throw error;
      }
    },
  });

testCases('list queries', queries, async (query, isOverHttp) => {
  const verdict = judgeList(query);
  const answer = await list(carol, query, isOverHttp);
  if (!('accepted' in verdict)) return expectRefusal(answer, verdict);
  const { limit } = verdict.accepted;
  expect([answer.status, plantsIn(answer)]).toEqual([200, sorted.slice(0, limit)]);
  // A link repeats what the list was asked for, with the limit in force.
  const [, next = ''] = /^<\/v1\/plants\?(.*)>; rel="next"$/.exec(answer.headers.link ?? '') ?? [];
  const { cursor, ...linked } = Object.fromEntries(new URLSearchParams(next));
  const asked = { ...Object.fromEntries(query), limit: `${limit}` };
  expect(linked).toEqual(limit < sorted.length ? asked : {});
});

testCases(
  'ids in paths',
  fc.tuple(pathIds, fc.boolean()),
  async ([encoded, isThere], mayBeHttp) => {
    // A client would not send other characters, and the gateway takes a slash for itself.
    const isOverHttp = mayBeHttp && /^[!"$-.0->@-~]+$/.test(encoded);
    const verdict = judgeId(encoded);
    if (!('accepted' in verdict)) return expectRefusal(await remove(encoded, isOverHttp), verdict);
    if (isThere) await create(verdict.accepted);
    const statuses = [await remove(encoded, isOverHttp), await remove(encoded, isOverHttp)];
    expect(statuses.map(({ status }) => status)).toEqual([isThere ? 204 : 404, 404]);
  },
);

testCases(
  'cursors',
  fc.oneof(fc.tuple(fc.nat(carolsIds.length - 2), textMutations), otherCursors),
  async (choice, isOverHttp) => {
    const [index, mutations] = typeof choice === 'string' ? [] : choice;
    const issued = cursors[index ?? -1] ?? '';
    const cursor = typeof choice === 'string' ? choice : mutateText(issued, mutations ?? []);
    const answer = await list(carol, [['cursor', cursor]], isOverHttp);
    if (index !== undefined && cursor === issued) expect(answer.status).toBe(200);
    if (answer.status !== 200) return expectRefusal(answer, { status: 400, places: ['?cursor'] });
    // A cursor that was made up can only be a position.
    expect(cursor).toMatch(/^[\w.~-]+$/);
    const plants = plantsIn(answer);
    expect(plants).toEqual(plants.length === 0 ? [] : sorted.slice(-plants.length));
    if (cursor === issued) expect(plants).toEqual(sorted.slice(Number(index) + 1));
  },
);

/** Places that the functions read. */
const readPlaces = [
  'requestContext',
  'requestContext.authorizer',
  'requestContext.authorizer.owner',
  'requestContext.path',
  'requestContext.extendedRequestId',
  'body',
  'isBase64Encoded',
  'multiValueHeaders',
  'multiValueHeaders.Content-Type',
  'multiValueQueryStringParameters',
  'pathParameters',
  'pathParameters.id',
].map((place) => place.split('.'));

/** A place within an event, by names or by positions, and what to put there. */
const changes = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom(...readPlaces), fc.array(fc.nat(), { minLength: 1, maxLength: 4 })),
    oddValues,
  ),
  { minLength: 1, maxLength: 3 },
);
type Change = [place: (string | number)[], value: unknown];

function change(event: Record<string, unknown>, [place, value]: Change): void {
  let parent = event;
  for (const [i, step] of place.entries()) {
    const names = Object.keys(parent);
    const name = typeof step === 'string' ? step : names[step % (names.length || 1)];
    const child = parent[name ?? 'more'];
    if (i === place.length - 1 || typeof child !== 'object' || child === null) {
      if (value === undefined) delete parent[name ?? 'more'];
      else parent[name ?? 'more'] = value;
      return;
    }
    parent = child as Record<string, unknown>;
  }
}

/** So many events share one look at the table, which shows that nothing else was stored. */
const batch = 20;
const keyOf = (by: unknown, id: unknown) => `${`${by}`.toWellFormed()} ${id}`;

async function eventsHold(events: [Operation, Change[]][]): Promise<void> {
  const expected = new Set<string>();
  try {
    for (const [operation, changed] of events) {
      const event = eventOf(operation, owner);
      for (const one of structuredClone(changed)) change(event, one);
      const { requestContext, pathParameters } = event as {
        requestContext?: { authorizer?: { owner?: unknown }; path?: unknown };
        pathParameters?: { id?: unknown };
      };
      const given = requestContext?.authorizer?.owner;
      const hasOwner = typeof given === 'string' && given !== '';
      // Without a path there is no reference to what was created.
      const hasPath = typeof requestContext?.path === 'string';
      if (!hasOwner || !hasPath) {
        const outcome = store.invoke(operation, event).then(({ status }) => status);
        expect(await outcome.catch(() => 500)).toBeGreaterThanOrEqual(400);
        continue;
      }
      const { status, body, headers } = await store.invoke(operation, event);
      expect([status, body]).toEqual([expect.any(Number), expect.any(String)]);
      expect(status).toBeLessThan(500);
      if (status === 201) expected.add(keyOf(given, headers.location?.split('/').at(-1)));
      if (status === 204) expect(expected.delete(keyOf(given, pathParameters?.id))).toBe(true);
    }
    const stored = (await store.keys()).map(({ owner: by, id }) => keyOf(by, id));
    expect(new Set(stored)).toEqual(new Set([...standing, ...expected]));
  } finally {
    for (const key of await store.keys())
      if (!standing.includes(keyOf(key.owner, key.id))) await store.removeKey(key);
  }
}

testProperty({
  topic: 'Hostile input',
  name: 'events that no gateway sends',
  outcome: 'No answer was a 5xx, unless the event had no owner or no path.',
  counts: { short: 80, whole: 50_000 },
  batch,
  cases: fc.array(fc.tuple(fc.constantFrom(...operationNames), changes), {
    minLength: batch,
    maxLength: batch,
    size: 'max',
  }),
  holds: eventsHold,
});
