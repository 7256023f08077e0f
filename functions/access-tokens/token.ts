import { createHash } from 'node:crypto';
import { accessTokenPattern, tokenParts } from '../shared/token-form.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const pattern = new RegExp(`^${accessTokenPattern}$`);

/** Returns the id in an access token, or undefined if the text is malformed or mistyped. */
export function findTokenId(token: string): string | undefined {
  if (!pattern.test(token)) {
    return undefined;
  }
  const start = token.slice(0, -tokenParts.checksum);
  if (computeChecksum(start) !== token.slice(-tokenParts.checksum)) {
    return undefined;
  }
  return token.slice(tokenParts.prefix.length, tokenParts.prefix.length + tokenParts.id);
}

/** Returns the digest to store, which can verify a token but not recreate it. */
export const digestToken = (token: string): Buffer<ArrayBuffer> =>
  createHash('sha256').update(token).digest();

/** Returns a token's CRC-32 in base62, which reveals typing mistakes without a look-up. */
export const computeChecksum = (start: string): string =>
  base62(BigInt(crc32(start)), tokenParts.checksum);

/** Returns a CRC-32. Loading zlib for it takes longer than everything else in the authorizer. */
function crc32(text: string): number {
  let crc = -1;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
    }
  }
  return ~crc >>> 0;
}

/** Returns the last `digits` base62 digits of a number, or of bytes read as one number. */
export function base62(value: Buffer | bigint, digits: number): string {
  let rest = typeof value === 'bigint' ? value : BigInt(`0x${value.toString('hex')}`);
  let text = '';
  while (text.length < digits) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
