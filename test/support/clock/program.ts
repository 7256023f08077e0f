import { stopClock } from './stopped-clock.ts';

// Node loads this module into a program or a thread that a test starts, before its own code. Messages
// of the test advance its clock.

const { advance } = stopClock();
// The SDK's pauses before retries are random. Now they last 0 ms.
Math.random = () => 0;

process.on('message', async (ms: number) => {
  await advance(ms);
  process.send?.('advanced');
});
process.channel?.unref();

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
