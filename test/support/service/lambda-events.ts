import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../../lib/bundle.ts';
import { forge } from '../access-tokens/forge.ts';
import { root } from '../project.ts';

/** Returns the event of test/sam-events for a function, made by `caller`: owner and token id. */
export function eventFor(entry: Entry, caller = 'caller'): Record<string, unknown> {
  const event = JSON.parse(readFileSync(join(root, 'test', 'sam-events', `${entry}.json`), 'utf8'));
  if (entry === 'authorize') event.authorizationToken = `Bearer ${tokenOf(caller)}`;
  else event.requestContext.authorizer.owner = caller;
  return event;
}

/** Returns a well-formed access token whose id begins with the caller's name. */
export const tokenOf = (caller: string): string => forge(caller.padEnd(12, '0'), '0'.repeat(43));
