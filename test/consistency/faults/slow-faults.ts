import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { clockOfThread } from '../../support/clock/clock.ts';
import { executed, type Fault } from '../../support/database/proxy.ts';

// Faults that last until a timeout of the functions ends, or almost.

export const clock = clockOfThread();

/** Resolves once the kernel has the data, or the stream is closed. */
export async function write(stream: Writable, data: string | Buffer): Promise<void> {
  stream.write(data);
  await setImmediate();
}

/** Accepts the request and never responds. */
export const hang: Fault = () => clock.advance(1500);

/** The database executes the command, and the response never comes. */
export const swallowResponse: Fault = executed(() => clock.advance(1500));

/** The database executes the command. Its response never begins, although bytes arrive. */
export const drip: Fault = executed(async (_, { response }) => {
  const socket = response.socket as Socket;
  await write(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ');
  for (let passed = 0; passed < 1500; passed += 500) {
    await clock.advance(500);
    await write(socket, '.');
  }
});

/** The database executes the command. Its response begins and never ends. */
export const stop: Fault = executed(async ({ status, headers, body }, { response }) => {
  response.writeHead(status, headers);
  await write(response, body.subarray(0, 1));
  for (let passed = 0; passed < 2500 && !response.destroyed; passed += 500) {
    await clock.advance(500);
  }
});

/**
 * In milliseconds, between the parts of a response. On a busy machine, a part may arrive after the
 * clock was advanced, so two pauses are shorter than a timeout.
 */
const pause = 700;

/** The database executes the command. Its response comes in parts, with pauses between them. */
export const slow: Fault = executed(async ({ status, headers, body }, { response }) => {
  response.writeHead(status, headers);
  const size = Math.ceil(body.length / 7);
  for (let start = 0; start < body.length; start += size) {
    await clock.advance(pause);
    await write(response, body.subarray(start, start + size));
  }
  response.end();
});

/**
 * The database executes the command. Its response lasts for the 10 s after which Lambda stops a
 * function, without a pause that is a timeout.
 */
export const crawl: Fault = executed(async ({ status }, { response }) => {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' });
  for (let passed = 0; passed < 10_000 && !response.destroyed; passed += pause) {
    await write(response, ' ');
    await clock.advance(pause);
  }
});
