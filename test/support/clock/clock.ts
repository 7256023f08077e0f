import { once } from 'node:events';
import { finallyDo } from '../cleanup.ts';
import { stopClock } from './stopped-clock.ts';

// Jest loads this module before each test file.

/** The clock of this test file's process. No timeout of a second or more ends by itself. */
export const clock = stopClock();
finallyDo(clock.restore);

/** Environment variables of a program or thread whose clock is stopped. */
export const stoppedClock = {
  NODE_OPTIONS: `--import=${new URL('program.ts', import.meta.url).href}`,
};

/** Returns the stopped clock of a thread, with the environment variables of the thread. */
export function clockOfThread() {
  const CLOCK = 'clock of the thread';
  const channel = new BroadcastChannel(CLOCK);
  finallyDo(() => channel.close());
  return {
    variables: { ...stoppedClock, CLOCK },
    async advance(ms: number) {
      channel.postMessage(ms);
      await once(channel, 'message');
    },
    /** Freezes the thread. Returns a function that thaws it. */
    async freeze(): Promise<() => void> {
      const isThawed = new Int32Array(new SharedArrayBuffer(4));
      channel.postMessage(isThawed);
      await once(channel, 'message');
      return () => {
        isThawed[0] = 1;
        Atomics.notify(isThawed, 0);
      };
    },
  };
}
