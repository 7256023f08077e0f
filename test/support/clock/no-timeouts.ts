import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import timers from 'node:timers';

/** In milliseconds. Shorter timers are pauses, as before a retry of a call that was not throttled. */
const shortestTimeout = 1000;
/** The maximum delay of Node's timers, which is 24 days. */
const never = 2 ** 31 - 1;

/** Makes this process wait, however busy the machine is. Returns a function that ends that. */
export function endNoTimeout(): () => void {
  const { setTimeout } = globalThis;
  const ofSocket = Socket.prototype.setTimeout;
  const patient = (end: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    ms < shortestTimeout ? setTimeout(end, ms, ...args) : setTimeout(end, never, ...args).unref();
  const replace = (timeout: object, socket: typeof ofSocket): void => {
    Object.assign(globalThis, { setTimeout: timeout });
    // middy imports its timers.
    Object.assign(timers, { setTimeout: timeout });
    syncBuiltinESMExports();
    Socket.prototype.setTimeout = socket;
  };
  replace(patient, function (this: Socket) {
    return this;
  });
  return () => replace(setTimeout, ofSocket);
}

/** Environment variables of a program or a thread whose timeouts never end. */
export const noTimeouts: Record<string, string> = {
  NODE_OPTIONS: `--import=${new URL('patient-process.ts', import.meta.url).href}`,
};
