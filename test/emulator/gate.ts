import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../lib/emulator/listen.ts';
import { finallyDo } from './fixture.ts';

/** A server that lets whoever asks wait until it is told to let them go: tests order events with it, and need no clock. */
export function gate() {
  const held: ServerResponse[] = [];
  let onArrival = () => {};
  let most = 0;
  const server = createServer((_, response) => {
    held.push(response);
    most = Math.max(most, held.length);
    onArrival();
  });
  finallyDo(() => server.close());
  return {
    url: listen(server, 0, '127.0.0.1').then((port) => `http://127.0.0.1:${port}`),
    /** How many waited at once. */
    most: () => most,
    /** Until so many wait. */
    holds: (count: number) =>
      new Promise<void>((resolve) => {
        onArrival = () => held.length >= count && resolve();
        onArrival();
      }),
    /** Lets go of all who wait, and of all who come. */
    open() {
      onArrival = () => {
        for (const response of held.splice(0)) response.end();
      };
      onArrival();
    },
    /** Lets go of those who wait. */
    release() {
      for (const response of held.splice(0)) response.end();
    },
  };
}
