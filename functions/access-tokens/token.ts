import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { accessTokenPattern } from '../contract/access-token.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = { prefix: 4, id: 12, secret: 43, checksum: 6 };
const pattern = new RegExp(`^${accessTokenPattern}$`);

/** A new access token, `pst_` id `_` secret checksum: the id names its record, the secret is 256 random bits. */
export function makeToken(): { id: string; token: string } {
  // 16 bytes for 71 bits: cut to size, they are as good as uniform.
  const id = base62(randomBytes(16), length.id);
  const start = `pst_${id}_${base62(randomBytes(32), length.secret)}`;
  return { id, token: start + checksum(start) };
}

/** The id within an access token, or undefined for text that is none or that was mistyped. Says nothing about whether the token is valid. */
export function tokenId(token: string): string | undefined {
  if (!pattern.test(token)) return undefined;
  const start = token.slice(0, -length.checksum);
  return checksum(start) === token.slice(-length.checksum)
    ? token.slice(length.prefix, length.prefix + length.id)
    : undefined;
}

/** What is stored of an access token: enough to know it again, not enough to make it. */
export const digest = (token: string): Buffer<ArrayBuffer> =>
  createHash('sha256').update(token).digest();

/** CRC-32 of all that comes before it, so that a typing mistake, or a scanner's false find, shows without a look-up. */
const checksum = (start: string): string => base62(BigInt(crc32(start)), length.checksum);

/** The last `digits` digits of a number, or of bytes read as one, in base 62. */
function base62(value: Buffer | bigint, digits: number): string {
  let rest = typeof value === 'bigint' ? value : BigInt(`0x${value.toString('hex')}`);
  let text = '';
  while (text.length < digits) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
