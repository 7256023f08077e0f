import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

// Not imported: to later imports of a module in the same test file, Jest would give the same
// exports.
const timers = process.getBuiltinModule('node:timers');
const timersPromises = process.getBuiltinModule('node:timers/promises');

/** In milliseconds. Shorter timers are pauses, which end by themselves. */
const shortestTimeout = 1000;
/** The maximum delay of Node's timers, which is 24 days. */
const never = 2 ** 31 - 1;

const { setTimeout, clearTimeout } = timers;
const ofGlobal = { setTimeout, clearTimeout };
const ofPromises = { setTimeout: timersPromises.setTimeout };
const ofSignals = { timeout: AbortSignal.timeout };
const { setTimeout: setIdleTimeout, _unrefTimer } = Socket.prototype as unknown as SocketTimers;
const ofSockets = { setTimeout: setIdleTimeout, _unrefTimer };
const node = { ofGlobal, ofPromises, ofSignals, ofSockets };

/** Waits by the real clock, for the limits of tests. Like `setTimeout` of timers/promises. */
export const waitInRealTime = ofPromises.setTimeout;

/**
 * Puts the timeouts of this process or thread on a clock that stands still until it is advanced, so
 * that none ends because the machine is busy.
 */
export function stopClock() {
  let now = 0;
  const running = new Map<NodeJS.Timeout, { due: number; end: () => void }>();

  function start(ms: number, end: () => void): NodeJS.Timeout {
    // Keeps the process running, as the timeout itself would.
    const timer = setTimeout(() => {}, never);
    timer.refresh = () => {
      running.set(timer, { due: now + ms, end });
      return timer;
    };
    return timer.refresh();
  }

  function clear(timer: NodeJS.Timeout): void {
    running.delete(timer);
    clearTimeout(timer);
  }

  /** The timers of sockets, which end after a time without data. */
  const idle = new WeakMap<Socket, NodeJS.Timeout>();

  const stopped: typeof node = {
    ofGlobal: {
      setTimeout: ((end: Callback, ms = 0, ...args: unknown[]) =>
        ms < shortestTimeout
          ? setTimeout(end, ms, ...args)
          : start(ms, () => end(...args))) as typeof setTimeout,
      clearTimeout: clear as typeof clearTimeout,
    },
    ofPromises: {
      setTimeout: ((ms = 0, value?: unknown, options?: object) =>
        ms < shortestTimeout
          ? waitInRealTime(ms, value, options)
          : new Promise<unknown>((resolve) =>
              start(ms, () => resolve(value)),
            )) as typeof waitInRealTime,
    },
    ofSignals: {
      timeout(ms) {
        const controller = new AbortController();
        const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
        start(ms, () => controller.abort(reason)).unref();
        return controller.signal;
      },
    },
    ofSockets: {
      setTimeout(ms, end) {
        const before = idle.get(this);
        if (before) {
          clear(before);
          idle.delete(this);
        }
        if (ms > 0) {
          idle.set(this, start(ms, () => this.destroyed || this.emit('timeout')).unref());
        }
        if (end === undefined) {
          return this;
        }
        return ms > 0 ? this.once('timeout', end) : this.off('timeout', end);
      },
      // Node calls this when data passes.
      _unrefTimer() {
        idle.get(this)?.refresh();
      },
    },
  };
  replaceTimers(stopped);

  return {
    /** Advances the clock by milliseconds. Resolves once the timeouts that are due have ended. */
    async advance(ms: number): Promise<void> {
      const end = now + ms;
      for (;;) {
        // After the data that arrived before, and whatever the last timeout caused.
        await new Promise(setImmediate);
        const [next] = [...running]
          .filter(([, { due }]) => due <= end)
          .sort(([, one], [, other]) => one.due - other.due);
        if (next === undefined) {
          break;
        }
        const [timer, timeout] = next;
        now = Math.max(now, timeout.due);
        running.delete(timer);
        timeout.end();
        if (!running.has(timer)) {
          clearTimeout(timer);
        }
      }
      now = Math.max(now, end);
    },
    /** Gives the timeouts back to Node. */
    restore(): void {
      replaceTimers(node);
      for (const timer of running.keys()) {
        clear(timer);
      }
    },
  };
}

function replaceTimers({ ofGlobal, ofPromises, ofSignals, ofSockets }: typeof node): void {
  Object.assign(globalThis, ofGlobal);
  // middy imports its timers.
  Object.assign(timers, ofGlobal);
  Object.assign(timersPromises, ofPromises);
  syncBuiltinESMExports();
  Object.assign(AbortSignal, ofSignals);
  Object.assign(Socket.prototype, ofSockets);
}

type Callback = (...args: unknown[]) => void;

interface SocketTimers {
  setTimeout(this: Socket, ms: number, end?: () => void): Socket;
  _unrefTimer(this: Socket): void;
}
