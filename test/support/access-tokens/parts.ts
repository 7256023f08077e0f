/** Splits a token, whatever its prefix is. The secret has its checksum. */
export function splitToken(token: string): { id: string; secret: string } {
  const [secret = '', id = ''] = token.trim().split('_').reverse();
  return { id, secret };
}
