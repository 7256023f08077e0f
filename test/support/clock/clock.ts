import { once } from 'node:events';
import { BroadcastChannel } from 'node:worker_threads';
import { finallyDo } from '../cleanup.ts';

export interface Clock {
  /** Variables that put the functions' timeouts on this clock. */
  variables: Record<string, string>;
  /** Advances the clock by milliseconds. Resolves once the timeouts that are due have ended. */
  advance(ms: number): Promise<void>;
}

let clocks = 0;

/**
 * Returns a clock for functions. It stands still until it is advanced, so that no timeout ends
 * because the machine is busy. Random pauses before retries last 0 ms.
 */
export function stoppedClock(): Clock {
  clocks += 1;
  const name = `clock ${clocks}`;
  const channel = new BroadcastChannel(name);
  finallyDo(() => channel.close());
  return {
    variables: {
      CLOCK: name,
      NODE_OPTIONS: `--import=${new URL('thread.ts', import.meta.url).href}`,
    },
    async advance(ms) {
      channel.postMessage(ms);
      await once(channel, 'message');
    },
  };
}
