import { once } from 'node:events';
import { finallyDo } from '../cleanup.ts';
import { type Clock, stopClock } from './stopped-clock.ts';

// Jest loads this module before each test file.

/** The clock of this test file's process. No timeout of a second or more ends by itself. */
export const clock = stopClock();
finallyDo(clock.restore);

/** Environment variables of a program or thread whose clock is stopped. */
export const stoppedClock = {
  NODE_OPTIONS: `--import=${new URL('program.ts', import.meta.url).href}`,
};

interface ThreadClock extends Pick<Clock, 'advance'> {
  /** Environment variables of the thread. */
  variables: Record<string, string>;
}

let clocks = 0;

/** Returns the stopped clock of a thread. */
export function clockOfThread(): ThreadClock {
  clocks += 1;
  const CLOCK = `clock ${clocks}`;
  const channel = new BroadcastChannel(CLOCK);
  finallyDo(() => channel.close());
  return {
    variables: { ...stoppedClock, CLOCK },
    async advance(ms) {
      channel.postMessage(ms);
      await once(channel, 'message');
    },
  };
}
