import { expect } from '@jest/globals';
import { target } from './api-client.ts';

/** A line for each answer that only AWS settles: as expected, or what came instead. */
export const settled: string[] = [];

/** Returns what was found, or the start of an error, and notes whether it is as expected. */
export async function settle(
  what: string,
  expected: string[],
  find: () => Promise<string>,
): Promise<string> {
  const found = await find().catch(({ message }: Error) => message.replace(/:.*/s, ''));
  settled.push(
    expected.includes(found)
      ? `As expected: ${what}: ${found}`
      : `Differs: ${what}: ${found} instead of ${expected.join(' or ')}`,
  );
  return found;
}

/** What AWS's front end may change, refuse or answer before the request reaches a function. */
const meetsFrontEnd = /%00|[[\]]|7;|multipart|: gzip$|(no|without|two|two different) Content-Type/i;

/**
 * Expects an answer. If the request may not reach a function as it was sent, a deployed API may
 * give another one, and a line tells so.
 */
export async function expectAnswer(
  what: string,
  find: () => Promise<unknown[]>,
  expected: unknown[],
): Promise<void> {
  if (target.isDeployed && meetsFrontEnd.test(what)) {
    await settle(what, [expected.join(' ')], async () => (await find()).join(' '));
  } else {
    expect(await find()).toEqual(expected);
  }
}
