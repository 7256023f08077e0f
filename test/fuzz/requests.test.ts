import { afterAll, beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { type Operation, operationNames } from '../../functions/shared/operations.ts';
import { answered, sent } from '../support/plant.ts';
import { testProperty } from '../support/report/property.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { openStore, plantsIn, refusalIn } from '../support/service/store.ts';
import { words } from '../support/words.ts';
import { mutateText, oddValues, otherCursors, pathIds, queries, textMutations } from './inputs.ts';
import { judgeId, judgeList } from './oracle.ts';

let store: Awaited<ReturnType<typeof openStore>>;
/** Has plants from the beginning to the end, whatever other owners do under the same ids. */
const carol = 'carol';
const carolsIds = [-(2n ** 63n), -5n, -1n, 0n, 3n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const sorted = carolsIds.map((id) => answered({ name: `Plant ${id}` }));
const cursors: string[] = [];
/** The owners and ids of all plants, as they were after the last events. */
let present: Set<string>;
const findKeys = async () => new Set((await store.keys()).map(({ owner, id }) => keyOf(owner, id)));
const keyOf = (by: unknown, id: unknown) => `${`${by}`.toWellFormed()} ${id}`;

const create = (owner: string, id: bigint, name: string) =>
  store.call({
    ...{ operation: 'createPlant', owner, body: Buffer.from(sent(id, { name })) },
    headers: [['Content-Type', 'application/json']],
  });
const list = (query: [string, string][] = [], isOverHttp = false) =>
  store.call({ operation: 'listPlants', owner: carol, query }, isOverHttp);

beforeAll(async () => {
  store = await openStore();
  for (const id of carolsIds) await create(carol, id, `Plant ${id}`);
  let { link } = (await list([['limit', '1']])).headers;
  for (const _ of carolsIds) {
    const [, cursor] = /cursor=([\w.~-]+)>; rel="next"$/.exec(link ?? '') ?? [];
    if (cursor === undefined) break;
    cursors.push(cursor);
    ({ link } = (await list(Object.entries({ limit: '1', cursor }))).headers);
  }
  expect(cursors).toHaveLength(carolsIds.length - 1);
  present = await findKeys();
});
afterAll(async () => {
  // A service that goes on would keep jest from ending.
  const left = await list().finally(store.stop);
  expect(plantsIn(left)).toEqual(sorted);
});

/** Tries a property. One case in ten goes over HTTP. */
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
    cases: fc.tuple(cases, fc.nat(9)),
    holds: ([one, digit]) => holds(one, digit === 5),
  });

testCases('list queries', queries, async (query, isOverHttp) => {
  const verdict = judgeList(query);
  const answer = await list(query, isOverHttp);
  if (!('accepted' in verdict)) return expect(refusalIn(answer)).toEqual(verdict);
  const { limit } = verdict.accepted;
  expect([answer.status, plantsIn(answer)]).toEqual([200, sorted.slice(0, limit)]);
  // A link repeats what the list was asked for, with the limit in force.
  const [, next = ''] = /^<\/v1\/plants\?(.*)>; rel="next"$/.exec(answer.headers.link ?? '') ?? [];
  const { cursor, ...linked } = Object.fromEntries(new URLSearchParams(next));
  const asked = { ...Object.fromEntries(query), limit: `${limit}` };
  expect(linked).toEqual(limit < sorted.length ? asked : {});
});

let owners = 0;
testCases('ids in paths', fc.tuple(pathIds, fc.boolean()), async ([id, isThere], mayBeHttp) => {
  owners += 1;
  const owner = `owner-${owners}`;
  // A client would not send other characters, and the gateway takes a slash for itself.
  const isOverHttp = mayBeHttp && /^[!"$-.0->@-~]+$/.test(id);
  const remove = () => store.call({ operation: 'deletePlant', owner, id }, isOverHttp);
  const verdict = judgeId(id);
  if (!('accepted' in verdict)) return expect(refusalIn(await remove())).toEqual(verdict);
  if (isThere) await create(owner, verdict.accepted, 'Aloe');
  const statuses = [(await remove()).status, (await remove()).status];
  expect(statuses).toEqual([isThere ? 204 : 404, 404]);
});

testCases(
  'cursors',
  fc.oneof(fc.tuple(fc.nat(carolsIds.length - 2), textMutations), otherCursors),
  async (choice, isOverHttp) => {
    const [index, mutations] = typeof choice === 'string' ? [] : choice;
    const issued = cursors[index ?? -1] ?? '';
    const cursor = typeof choice === 'string' ? choice : mutateText(issued, mutations ?? []);
    const answer = await list([['cursor', cursor]], isOverHttp);
    if (index !== undefined && cursor === issued) expect(answer.status).toBe(200);
    if (answer.status !== 200)
      return expect(refusalIn(answer)).toEqual({ status: 400, places: ['?cursor'] });
    // A cursor that was made up can only be a position.
    expect(cursor).toMatch(/^[\w.~-]+$/);
    const plants = plantsIn(answer);
    expect(plants).toEqual(plants.length === 0 ? [] : sorted.slice(-plants.length));
    if (cursor === issued) expect(plants).toEqual(sorted.slice(Number(index) + 1));
  },
);

/** What the functions read of an event. */
const readPlaces = words(`
  requestContext requestContext.authorizer requestContext.authorizer.owner requestContext.path
  requestContext.extendedRequestId body isBase64Encoded multiValueHeaders
  multiValueHeaders.Content-Type multiValueQueryStringParameters pathParameters pathParameters.id
`);
const changes = fc.array(fc.tuple(fc.constantFrom(...readPlaces), oddValues), {
  minLength: 1,
  maxLength: 3,
});

/** Puts a value in a place, or where the way to it ends. */
function change(event: Record<string, unknown>, place: string[], value: unknown): void {
  const [name = '', ...rest] = place;
  const child = event[name];
  if (rest.length > 0 && typeof child === 'object' && child !== null)
    change(child as Record<string, unknown>, rest, value);
  else event[name] = value;
}

/** So many events share one look at the table, which shows that nothing else was stored. */
const batch = 20;

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
  async holds(events) {
    const expected = new Set(present);
    try {
      for (const [operation, changed] of events) await eventHolds(operation, changed, expected);
    } finally {
      present = await findKeys();
    }
    expect(present).toEqual(expected);
  },
});

async function eventHolds(
  operation: Operation,
  changed: [place: string, value: unknown][],
  expected: Set<string>,
): Promise<void> {
  const event: Record<string, unknown> = eventOf(operation);
  for (const [place, value] of changed) change(event, place.split('.'), structuredClone(value));
  const { requestContext, pathParameters } = event as {
    requestContext?: { authorizer?: { owner?: unknown }; path?: unknown };
    pathParameters?: { id?: unknown };
  };
  const by = requestContext?.authorizer?.owner;
  // Without a path there is no reference to what was created.
  if (typeof by !== 'string' || by === '' || typeof requestContext?.path !== 'string') {
    const outcome = store.invoke(operation, event).then(({ status }) => status);
    return expect(await outcome.catch(() => 500)).toBeGreaterThanOrEqual(400);
  }
  const { status, body, headers } = await store.invoke(operation, event);
  expect([status, body]).toEqual([expect.any(Number), expect.any(String)]);
  expect(status).toBeLessThan(500);
  if (status === 201) expected.add(keyOf(by, headers.location?.split('/').at(-1)));
  if (status === 204) expect(expected.delete(keyOf(by, pathParameters?.id))).toBe(true);
}
