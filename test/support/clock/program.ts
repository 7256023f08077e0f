import { stopClock } from './stopped-clock.ts';

// Node loads this module into a program or a thread that a test starts, before its own code.
// Messages of the test advance the clock of a thread.

const { advance } = stopClock();
// The SDK's pauses before retries are random. Now they last 0 ms.
Math.random = () => 0;

const { CLOCK } = process.env;
if (CLOCK !== undefined) {
  const { BroadcastChannel } = await import('node:worker_threads');
  const channel = new BroadcastChannel(CLOCK);
  channel.unref();
  channel.onmessage = async ({ data }) => {
    await advance(data);
    channel.postMessage('advanced');
  };
}
