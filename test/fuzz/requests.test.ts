import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { largestPage } from '../../functions/plants/plant.ts';
import { operationNames, operations } from '../../functions/shared/operations.ts';
import { finallyDo } from '../support/cleanup.ts';
import { responsesOf } from '../support/openapi/description.ts';
import { judgePath, judgeQuery, refusalOf } from '../support/openapi/second-opinion.ts';
import { answered, label, sent } from '../support/plant.ts';
import { testProperty } from '../support/report/property.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { openStore, plantsIn, refusalIn } from '../support/service/store.ts';
import { words } from '../support/words.ts';
import {
  bodies,
  mutateText,
  oddValues,
  otherCursors,
  pathsOf,
  queriesOf,
  textMutations,
} from './inputs.ts';

const store = await openStore();
finallyDo(async () => {
  const left = await list().finally(store.stop);
  expect(plantsIn(left)).toEqual(sorted);
});

const headers: [string, string][] = [['Content-Type', 'application/json']];
/** Has plants from the beginning to the end, whatever other owners do under the same ids. */
const carol = 'carol';
const list = (query: [string, string][] = [], isOverHttp = false) =>
  store.call({ operation: 'listPlants', owner: carol, query }, isOverHttp);

const carolsIds = [-(2n ** 63n), -5n, -1n, 0n, 3n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const sorted = carolsIds.map((id) => answered({ [label]: `Plant ${id}` }));
const create = (owner: string, id: bigint) => {
  const body = Buffer.from(sent(id, { [label]: `Plant ${id}` }));
  return store.call({ operation: 'createPlant', owner, headers, body });
};
for (const id of carolsIds) {
  await create(carol, id);
}
const cursors: string[] = [];
for (let limit = 1; limit < carolsIds.length; limit += 1) {
  const { link = '' } = (await list([['limit', `${limit}`]])).headers;
  cursors.push(/cursor=([\w.~-]+)>; rel="next"$/.exec(link)?.[1] ?? '');
}

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

// A client would not send other characters, and the gateway takes a slash for itself.
const isPlain = (text: string) => /^[!"$-.0->@-~]+$/.test(text);
for (const operation of operationNames) {
  testCases(
    `requests of ${operation}`,
    fc.record({
      body: bodies,
      query: fc.oneof(fc.constant<[string, string][]>([]), queriesOf(operation)),
      path: pathsOf(operation),
    }),
    async ({ body: bytes, query, path }, mayBeHttp) => {
      const body = Buffer.from(bytes.toString());
      const isOverHttp = mayBeHttp && Object.values(path).every(isPlain);
      const call = { operation, owner: 'alice', headers, body, query, path };
      const answer = await store.call(call, isOverHttp);
      const expected = refusalOf(operation, call);
      const isRefused = [400, 413, 415].includes(answer.status);
      expect(isRefused ? refusalIn(answer) : undefined).toEqual(expected);
    },
  );
}

/** The position that a cursor stands for: its version, then the eight bytes of an id. */
const positionOf = (cursor: string) => Buffer.from(cursor.slice(1), 'base64url').readBigInt64BE();
const linkIn = (header = '') => /^<\/v1\/plants\?(.*)>; rel="next"$/.exec(header)?.[1];

/** Queries of which each page ends among carol's plants. */
const goodQueries = fc
  .record(
    {
      limit: fc.integer({ min: 1, max: carolsIds.length + 1 }).map(String),
      cursor: fc.constantFrom(...cursors),
    },
    { requiredKeys: [] },
  )
  .map((query): [string, string][] => Object.entries(query));

testCases(
  'list queries',
  fc.oneof(goodQueries, queriesOf('listPlants')),
  async (query, isOverHttp) => {
    const verdict = judgeQuery('listPlants', query);
    const answer = await list(query, isOverHttp);
    if (!('accepted' in verdict)) {
      return expect(refusalIn(answer)).toEqual(verdict);
    }
    const { limit = largestPage, cursor } = verdict.accepted;
    const size = Math.min(Number(limit), largestPage);
    const linked = Object.fromEntries(new URLSearchParams(linkIn(answer.headers.link)));
    const isAfter = (id: bigint) => cursor === undefined || id > positionOf(cursor);
    const left = sorted.filter((_, i) => isAfter(carolsIds[i] as bigint));
    expect([answer.status, plantsIn(answer)]).toEqual([200, left.slice(0, size)]);
    // A link has the limit in force.
    const next = { limit: `${size}`, cursor: expect.anything() };
    expect(linked).toEqual(size < left.length ? next : {});
  },
);

const onOnePlant = operationNames.filter(
  (name) => operations[name].path === `${operations.createPlant.path}/{id}`,
);
/** What a case that fails has stored belongs to an owner of whom no other case hears. */
let failures = 0;

testCases(
  'ids in paths',
  fc.constantFrom(...onOnePlant).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      path: pathsOf(operation),
      isThere: fc.boolean(),
    }),
  ),
  async ({ operation, path, isThere }, mayBeHttp) => {
    const owner = `dave-${failures}`;
    const id = `${path.id}`;
    const isOverHttp = mayBeHttp && isPlain(id);
    const call = { operation, owner, headers, path };
    const act = () => store.call(call, isOverHttp);
    const verdict = judgePath(operation, 'id', id);
    if (!('accepted' in verdict)) {
      return expect(refusalIn(await act())).toEqual(verdict);
    }
    if (isThere) {
      await create(owner, BigInt(verdict.accepted));
    }
    const { status } = await act();
    // Whatever the operation does to a plant, a delete by the same path is the last.
    const remove = () => store.call({ operation: 'deletePlant', owner, path }, isOverHttp);
    await remove();
    const last = await remove();
    const left = plantsIn(await store.call({ operation: 'listPlants', owner }));
    const isMissing = status === 404;
    const mayMiss = responsesOf(operation)[404] !== undefined;
    if (left.length > 0) {
      failures += 1;
    }
    expect([id, isMissing, last.status, left]).toEqual([id, !isThere && mayMiss, 404, []]);
    if (isThere) {
      expect(Object.keys(responsesOf(operation))).toContain(`${status}`);
    }
    if (isThere) {
      expect(status).toBeLessThan(300);
    }
  },
);

test('each page of large ids ends in a cursor of its own', () => {
  expect(new Set(cursors).size).toBe(carolsIds.length - 1);
});

const issued = fc.constantFrom(...cursors);
const mutated = fc.tuple(issued, textMutations).map(([cursor, all]) => mutateText(cursor, all));
testCases('cursors', fc.oneof(issued, mutated, otherCursors), async (cursor, isOverHttp) => {
  const answer = await list([['cursor', cursor]], isOverHttp);
  const position = cursors.indexOf(cursor);
  if (position < 0 && answer.status !== 200) {
    return expect(refusalIn(answer)).toEqual({ status: 400, places: ['?cursor'] });
  }
  // A cursor that was made up can only be a position.
  expect(cursor).toMatch(/^[\w.~-]+$/);
  const plants = plantsIn(answer);
  const left = position < 0 ? plants.length : sorted.length - position - 1;
  expect(plants).toEqual(left === 0 ? [] : sorted.slice(-left));
});

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
  if (rest.length > 0 && typeof child === 'object' && child !== null) {
    change(child as Record<string, unknown>, rest, value);
  } else {
    event[name] = value;
  }
}

testProperty({
  topic: 'Hostile input',
  name: 'events that no gateway sends',
  outcome: 'No answer was a 5xx, unless the event had no owner or no path.',
  counts: { short: 80, whole: 50_000 },
  cases: fc.tuple(fc.constantFrom(...operationNames), changes),
  async holds([operation, changed]) {
    const event: Record<string, unknown> = { ...eventOf(operation) };
    for (const [place, value] of changed) {
      change(event, place.split('.'), structuredClone(value));
    }
    const { authorizer, path } = Object(event.requestContext);
    const by: unknown = authorizer?.owner;
    // Without a path there is no reference to what was created.
    const isComplete = typeof by === 'string' && by !== '' && typeof path === 'string';
    const answer = store.invoke(operation, event).then(({ status }) => status);
    const status = await (isComplete ? answer : answer.catch(() => 500));
    expect(isComplete ? status < 500 : status >= 400).toBe(true);
  },
});
