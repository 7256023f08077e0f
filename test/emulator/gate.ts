import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../lib/emulator/listen.ts';
import { finallyDo } from '../support/cleanup.ts';

/** A server that holds requests until it is told to answer, so that tests need no clock. */
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
    /** The largest number of requests that waited at the same time. */
    most: () => most,
    /** Waits until so many requests wait. */
    holds: (count: number) =>
      new Promise<void>((resolve) => {
        onArrival = () => held.length >= count && resolve();
        onArrival();
      }),
    /** Answers the waiting requests and all later ones. */
    open() {
      onArrival = () => {
        for (const response of held.splice(0)) response.end();
      };
      onArrival();
    },
    /** Answers the waiting requests. */
    release() {
      for (const response of held.splice(0)) response.end();
    },
  };
}
