const version = '1';

/** 64 bits fill eleven characters; the last carries four. */
export const cursorPattern = `${version}[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]`;

/**
 * Returns the position after the plant with this id, for the client to send back: a version, then
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
