import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const someBase62 = (length: number) =>
  Array.from({ length }, () => alphabet.charAt(randomInt(62))).join('');

/** Returns a token with a correct checksum. By default, its id and secret are random. */
export function forge(id = someBase62(12), secret = someBase62(43)): string {
  const start = `pst_${id}_${secret}`;
  let rest = crc32(start);
  let checksum = '';
  for (; checksum.length < 6; rest = Math.floor(rest / 62)) {
    checksum = alphabet.charAt(rest % 62) + checksum;
  }
  return start + checksum;
}
