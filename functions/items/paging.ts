import * as v from 'valibot';

const version = '1';
export const largestPage = 1000;
const largestLimit = 2 ** 31 - 1;

/** 64 bits fill eleven characters; the last carries four. */
export const cursorPattern = `${version}[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]`;

/**
 * Returns the position after the item with this id, for the client to send back: a version, then
 * the id's eight bytes in base64url. It is opaque and URL-safe, and does not hold the owner.
 */
export function encodeCursor(afterId: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(afterId);
  return version + bytes.toString('base64url');
}

/** Returns the id of a cursor, which must match the pattern. */
export const decodeCursor = (cursor: string): bigint =>
  Buffer.from(cursor.slice(version.length), 'base64url').readBigInt64BE();

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

/** The query parameters of every list. Filters may stand beside them. */
export const paging = { limit: v.optional(limit, `${largestPage}`), cursor: v.optional(cursor) };

/**
 * Reads the page that a query asks for. The `Link` to the next page (RFC 8288) repeats every other
 * parameter of the query.
 */
export async function readPage<T extends { id: bigint }>(
  { limit, cursor, ...filters }: { limit: number; cursor?: bigint | undefined },
  requestPath: string,
  read: (limit: number, after: bigint | undefined) => Promise<T[]>,
): Promise<{ page: T[]; headers: Record<string, string> }> {
  const pageSize = Math.min(limit, largestPage);
  // One item more than a page tells whether there is a next page.
  const found = await read(pageSize + 1, cursor);
  const page = found.slice(0, pageSize);
  const last = found.length > pageSize && page.at(-1);
  if (!last) return { page, headers: {} };
  const next = Object.entries({ ...filters, limit: pageSize, cursor: encodeCursor(last.id) })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return { page, headers: { Link: `<${requestPath}?${next}>; rel="next"` } };
}
