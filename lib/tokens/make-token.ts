import { randomBytes } from 'node:crypto';
import { base62, computeChecksum } from '../../functions/access-tokens/token.ts';
import { tokenParts } from '../../functions/shared/token-form.ts';

/** Makes a new access token, whose secret is 256 random bits. The id is the key of its record. */
export function makeToken(): { id: string; token: string } {
  // 12 digits hold 71 bits. The last 12 digits of 128 random bits are practically uniform.
  const id = base62(randomBytes(16), tokenParts.id);
  const start = `${tokenParts.prefix}${id}_${base62(randomBytes(32), tokenParts.secret)}`;
  return { id, token: start + computeChecksum(start) };
}
