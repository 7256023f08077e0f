import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { operationNames } from '../../functions/shared/operations.ts';
import { finallyDo } from '../support/cleanup.ts';
import { answered, sent } from '../support/plant.ts';
import { testProperty } from '../support/report/property.ts';
import { refusalOf } from '../support/second-opinion.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { openStore, plantsIn, refusalIn } from '../support/service/store.ts';
import { words } from '../support/words.ts';
import {
  bodiesOf,
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
const sorted = carolsIds.map((id) => answered({ name: `Plant ${id}` }));
for (const id of carolsIds) {
  const body = Buffer.from(sent(id, { name: `Plant ${id}` }));
  await store.call({ operation: 'createPlant', owner: carol, headers, body });
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
      body: bodiesOf(operation),
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

test('each page of large ids ends in a cursor of its own', () => {
  expect(new Set(cursors).size).toBe(carolsIds.length - 1);
});

const issued = fc.constantFrom(...cursors);
const mutated = fc.tuple(issued, textMutations).map(([cursor, all]) => mutateText(cursor, all));
testCases('cursors', fc.oneof(issued, mutated, otherCursors), async (cursor, isOverHttp) => {
  const answer = await list([['cursor', cursor]], isOverHttp);
  const position = cursors.indexOf(cursor);
  if (position < 0 && answer.status !== 200)
    return expect(refusalIn(answer)).toEqual({ status: 400, places: ['?cursor'] });
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
  if (rest.length > 0 && typeof child === 'object' && child !== null)
    change(child as Record<string, unknown>, rest, value);
  else event[name] = value;
}

testProperty({
  topic: 'Hostile input',
  name: 'events that no gateway sends',
  outcome: 'No answer was a 5xx, unless the event had no owner or no path.',
  counts: { short: 80, whole: 50_000 },
  cases: fc.tuple(fc.constantFrom(...operationNames), changes),
  async holds([operation, changed]) {
    const event: Record<string, unknown> = eventOf(operation);
    for (const [place, value] of changed) change(event, place.split('.'), structuredClone(value));
    const { authorizer, path } = Object(event.requestContext);
    const by: unknown = authorizer?.owner;
    // Without a path there is no reference to what was created.
    const isComplete = typeof by === 'string' && by !== '' && typeof path === 'string';
    const answer = store.invoke(operation, event).then(({ status }) => status);
    const status = await (isComplete ? answer : answer.catch(() => 500));
    expect(isComplete ? status < 500 : status >= 400).toBe(true);
  },
});
