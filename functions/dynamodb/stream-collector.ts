import type { Readable } from 'node:stream';

/**
 * Collects a response body. The SDK's own collector loads web streams only to test for one: loading
 * and the first call take 1.07 times as long.
 */
export async function streamCollector(body: Readable): Promise<Uint8Array> {
  return Buffer.concat(await body.toArray());
}
