const version = '1';

/**
 * A place in a list, for the client to hand back: after the plant with this id. Opaque, URL-safe and of one length: a version,
 * then the id's eight bytes in base64url. It says nothing about whose list it is.
 */
export function encodeCursor(afterId: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(afterId);
  return version + bytes.toString('base64url');
}

/** The id that a cursor stands for, or undefined for anything that `encodeCursor` did not make. */
export function decodeCursor(cursor: string): bigint | undefined {
  const bytes = Buffer.from(cursor.slice(version.length), 'base64url');
  if (bytes.length !== 8) return undefined;
  const id = bytes.readBigInt64BE();
  return encodeCursor(id) === cursor ? id : undefined;
}
