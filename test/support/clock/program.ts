import { stopClock } from './stopped-clock.ts';

// Node loads this module into a program or a thread that a test starts, before its own code.
// Messages of the test advance the clock of a program or thread, or freeze a thread.

const { advance } = stopClock();
// The SDK's pauses before retries are random. Now they last 0 ms.
Math.random = () => 0;

process.on('message', advance);
// The channel would keep the program running.
process.channel?.unref();

const { CLOCK } = process.env;
if (CLOCK !== undefined) {
  const { BroadcastChannel } = await import('node:worker_threads');
  const channel = new BroadcastChannel(CLOCK);
  channel.unref();
  channel.onmessage = async ({ data }) => {
    if (data instanceof Int32Array) {
      channel.postMessage('frozen');
      Atomics.wait(data, 0, 0);
      return;
    }
    await advance(data);
    channel.postMessage('advanced');
  };
}
