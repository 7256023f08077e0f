import * as v from 'valibot';
import { digits } from './plant.ts';

/** Maximum plants per page. */
export const largestPage = 1000;
export const largestLimit = 2n ** 31n - 1n;

const limit = v.pipe(
  digits,
  v.minValue(1n, 'must be at least 1'),
  v.maxValue(largestLimit, `must be at most ${largestLimit}`),
  v.transform((limit) => Math.min(Number(limit), largestPage)),
);

/** A version, then eight bytes in base64url. The last character has only four bits. */
const cursorPattern = /^1[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]$/;

const cursor = v.pipe(
  v.string('must be a string'),
  v.regex(cursorPattern, 'must be a cursor from a Link header'),
  v.transform((text) => Buffer.from(text.slice(1), 'base64url').readBigInt64BE()),
);

export const listQuery = v.object({
  limit: v.optional(limit, `${largestPage}`),
  cursor: v.optional(cursor),
});

/**
 * Returns the cursor after the plant with this id: a version, then the id's eight bytes in
 * base64url. It does not contain the owner, who always comes from the token.
 */
export function formatCursor(id: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(id);
  return `1${bytes.toString('base64url')}`;
}
