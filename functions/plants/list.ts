import * as v from 'valibot';
import type { Reply } from '../http/answer.ts';
import type { Caller } from '../http/operation.ts';
import { cursorPattern, decodeCursor, encodeCursor } from './cursor.ts';
import { contentOf } from './plant.ts';
import type { PlantStore } from './store.ts';

export const largestPage = 1000;
const largestLimit = 2 ** 31 - 1;
const once = (issue: { input: unknown }) =>
  Array.isArray(issue.input) ? 'must be given only once' : 'must be a string';

const limit = v.pipe(
  v.string(once),
  v.regex(
    /^(?:0|[1-9][0-9]{0,9})$/,
    `must be an integer from 1 to ${largestLimit} in canonical decimal digits, like 7`,
  ),
  v.transform(Number),
  v.number(),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(largestLimit, `must be at most ${largestLimit}`),
);

const cursor = v.pipe(
  v.string(once),
  v.regex(new RegExp(`^${cursorPattern}$`), 'must be a cursor from a list’s Link'),
  v.transform(decodeCursor),
);

export const listPlantsInput = v.object({
  query: v.object({ limit: v.optional(limit, `${largestPage}`), cursor: v.optional(cursor) }),
});

export const listPlants =
  (plants: PlantStore) =>
  async (
    { query }: v.InferOutput<typeof listPlantsInput>,
    { owner, requestPath, signal }: Caller,
  ): Promise<Reply> => {
    const pageSize = Math.min(query.limit, largestPage);
    // One plant more than a page tells whether there is a next page.
    const found = await plants.list(owner, pageSize + 1, query.cursor, signal);
    const page = found.slice(0, pageSize);
    const last = page.at(-1);
    const next =
      found.length > pageSize &&
      last &&
      `${requestPath}?limit=${pageSize}&cursor=${encodeCursor(last.id)}`;
    return {
      code: 'PLANTS_LISTED',
      status: 200,
      ...(next && { headers: { Link: `<${next}>; rel="next"` } }),
      body: page.map(contentOf),
    };
  };
