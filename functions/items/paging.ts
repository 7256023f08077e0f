import { type Content, type Field, type Fields, optional, parameter } from './fields.ts';
import { int64, integer, once, type ValueKind } from './kinds.ts';

const version = '1';
export const largestPage = 1000;
const largestLimit = 2 ** 31 - 1;

/** A version, then 64 bits in eleven characters, of which the last one holds only four bits. */
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

/** A position in a list. */
const position: ValueKind<bigint> = {
  .../* @__PURE__ */ int64(),
  fromParameter: /* @__PURE__ */ once((text, refuse) =>
    new RegExp(`^${cursorPattern}$`).test(text)
      ? decodeCursor(text)
      : refuse('must be a cursor from a list’s Link'),
  ),
  toParameter: (id) => [encodeCursor(id)],
  schema: () => ({ type: 'string', pattern: `^${cursorPattern}$` }),
};

/** The query parameters of every list. Filters may stand beside them. */
interface Paging {
  limit: Field<number>;
  cursor: Field<unknown>;
}

/** The parameters of a list in order of ids. Another list has positions of another kind. */
export const paging = {
  limit: optional(integer(1, largestLimit), largestPage),
  cursor: parameter(position),
};

/**
 * Reads the page that a query with these parameters asks for. The `Link` to the next page (RFC
 * 8288) has the position of the last item, and repeats every other parameter of the query.
 */
export async function readPage<F extends Paging & Fields, T>(
  parameters: F,
  query: Content<F>,
  requestPath: string,
  read: (limit: number, after: Content<F>['cursor']) => Promise<T[]>,
  positionOf: (item: T) => Content<F>['cursor'],
): Promise<{ page: T[]; headers: Record<string, string> }> {
  const pageSize = Math.min(query.limit, largestPage);
  // One item more than a page tells whether there is a next page.
  const found = await read(pageSize + 1, query.cursor);
  const page = found.slice(0, pageSize);
  const last = page.at(-1);
  if (found.length <= pageSize || !last) {
    return { page, headers: {} };
  }
  const { limit, cursor, ...filters } = parameters;
  const next: Record<string, unknown> = { ...query, limit: pageSize, cursor: positionOf(last) };
  const link = Object.entries<Fields[string]>({ ...filters, limit, cursor })
    .flatMap(([name, { kind }]) => {
      const value = next[name];
      const texts = value === undefined ? [] : kind.toParameter(value);
      return texts.map((text) => `${name}=${encodeURIComponent(text)}`);
    })
    .join('&');
  return { page, headers: { Link: `<${requestPath}?${link}>; rel="next"` } };
}
