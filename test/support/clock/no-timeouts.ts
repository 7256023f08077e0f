import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import timers from 'node:timers';

/** In milliseconds. Shorter timers are pauses, as before the retry of a failed call. */
const shortestTimeout = 1000;
/** The maximum delay of Node's timers, which is 24 days. */
const never = 2 ** 31 - 1;

/**
 * Suspends the timeouts of this process, which then waits, however busy the machine is. Returns a
 * function that restores them.
 */
export function suspendTimeouts(): () => void {
  const { setTimeout } = globalThis;
  const setSocketTimeout = Socket.prototype.setTimeout;
  const patient = (end: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    ms < shortestTimeout ? setTimeout(end, ms, ...args) : setTimeout(end, never, ...args).unref();
  replaceTimer(patient);
  Socket.prototype.setTimeout = function (this: Socket) {
    return this;
  };
  return () => {
    replaceTimer(setTimeout);
    Socket.prototype.setTimeout = setSocketTimeout;
  };
}

function replaceTimer(setTimeout: object): void {
  Object.assign(globalThis, { setTimeout });
  // middy imports its timers.
  Object.assign(timers, { setTimeout });
  syncBuiltinESMExports();
}

/** Environment variables of a program or a thread whose timeouts never end. */
export const noTimeouts: Record<string, string> = {
  NODE_OPTIONS: `--import=${new URL('patient-process.ts', import.meta.url).href}`,
};
