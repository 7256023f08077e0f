import { beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { finallyDo } from '../support/cleanup.ts';
import { expectedError, judgeQuery } from '../support/openapi/second-opinion.ts';
import { makeFields } from '../support/plant.ts';
import { testProperty } from '../support/property.ts';
import { parsePlants, parseRefusal } from '../support/service/functions.ts';
import { call } from './functions.ts';
import { bodies, mutateText, otherCursors, pathIds, queries, textMutations } from './inputs.ts';

/** Plants that stay, whatever other owners do under the same ids. */
const ids = [-(2n ** 63n), -5n, -1n, 0n, 3n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const plants = ids.map((id) => makeFields({ name: `Plant ${id}` }));

beforeAll(async () => {
  finallyDo(async () => {
    expect(parsePlants(await list())).toEqual(plants);
  });
  for (const id of ids) {
    await create('carol', id);
  }
});

const headers: [string, string][] = [['Content-Type', 'application/json']];
const list = (query: [string, string][] = []) =>
  call({ operation: 'listPlants', owner: 'carol', query });
const create = (owner: string, id: bigint) => {
  const body = Buffer.from(`{"id":${id},"name":"Plant ${id}"}`);
  return call({ operation: 'createPlant', owner, headers, body });
};

/** The position of a cursor, which is a version and then the eight bytes of an id. */
const decodePosition = (cursor: string) =>
  Buffer.from(cursor.slice(1), 'base64url').readBigInt64BE();

/** Queries with pages that end among carol's plants. */
const goodQueries = fc
  .record(
    { limit: fc.integer({ min: 1, max: ids.length + 1 }), cursor: fc.nat(ids.length - 2) },
    { requiredKeys: [] },
  )
  .map(({ limit, cursor }) => {
    const query: [string, string][] = limit === undefined ? [] : [['limit', `${limit}`]];
    return cursor === undefined
      ? query
      : [...query, ['cursor', cursorAt(cursor)] as [string, string]];
  });
/** Returns the cursor after the plant at an index. */
function cursorAt(index: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(ids[index] as bigint);
  return `1${bytes.toString('base64url')}`;
}

const cursors = ids.map((_, i) => cursorAt(i));
const issued = fc.constantFrom(...cursors);
const mutated = fc.tuple(issued, textMutations).map(([cursor, all]) => mutateText(cursor, all));
const cursorQueries = fc
  .oneof(issued, mutated, otherCursors)
  .map((cursor): [string, string][] => [['cursor', cursor]]);

testProperty('a list has the plants after its cursor, up to its limit, and a link to the rest', {
  counts: { short: 75, full: 3000 },
  cases: fc.oneof(goodQueries, queries, cursorQueries),
  async holds(query) {
    const verdict = judgeQuery('listPlants', query);
    const response = await list(query);
    if (!('accepted' in verdict)) {
      return expect(parseRefusal(response)).toEqual(verdict);
    }
    const { limit = 1000, cursor } = verdict.accepted;
    const size = Math.min(Number(limit), 1000);
    const isAfter = (id: bigint) => cursor === undefined || id > decodePosition(cursor);
    const left = plants.filter((_, i) => isAfter(ids[i] as bigint));
    expect([response.status, parsePlants(response)]).toEqual([200, left.slice(0, size)]);
    const next = /^<\/v1\/plants\?(.*)>; rel="next"$/.exec(response.headers.link ?? '')?.[1];
    expect(Object.fromEntries(new URLSearchParams(next))).toEqual(
      size < left.length ? { limit: `${size}`, cursor: expect.anything() } : {},
    );
  },
});

/** A case that fails leaves a plant, so the next one gets a new owner. */
let failures = 0;

testProperty('a delete removes the plant that its path names, and no other', {
  counts: { short: 50, full: 2000 },
  cases: fc.record({
    id: pathIds,
    isThere: fc.boolean(),
    query: fc.oneof(fc.constant<[string, string][]>([]), queries),
    body: bodies,
  }),
  async holds({ id, isThere, query, body }) {
    const owner = `dave-${failures}`;
    const request = { headers, body, query, path: { id } };
    const remove = () => call({ operation: 'deletePlant', owner, ...request });
    const error = expectedError('deletePlant', request);
    if (error) {
      return expect(parseRefusal(await remove())).toEqual(error);
    }
    if (isThere) {
      await create(owner, BigInt(decodeURIComponent(id)));
    }
    const { status } = await remove();
    const left = parsePlants(await call({ operation: 'listPlants', owner }));
    failures += left.length > 0 ? 1 : 0;
    expect([id, status, left]).toEqual([id, isThere ? 204 : 404, []]);
  },
});
