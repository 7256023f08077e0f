import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import timers from 'node:timers';
import { BroadcastChannel } from 'node:worker_threads';

// Node loads this module into the functions' thread, before the functions. Their timeouts run on a
// clock that stands still until a test advances it.

/** In milliseconds. */
let now = 0;
const running = new Set<Timer>();

class Timer {
  readonly ms: number;
  readonly end: () => void;
  due = 0;

  constructor(ms: number, end: () => void) {
    this.ms = ms;
    this.end = end;
    this.restart();
    running.add(this);
  }

  restart(): void {
    this.due = now + this.ms;
  }
}

const node = { setTimeout, clearTimeout };
const onThisClock = {
  setTimeout: (end: () => void, ms: number) =>
    ms > 0 ? new Timer(ms, end) : node.setTimeout(end, ms),
  clearTimeout: (timer: Timer | NodeJS.Timeout) =>
    timer instanceof Timer ? running.delete(timer) : node.clearTimeout(timer),
};
Object.assign(globalThis, onThisClock);
// middy imports its timers.
Object.assign(timers, onThisClock);
syncBuiltinESMExports();

// The SDK's pauses before retries are random. Now they last 0 ms.
Math.random = () => 0;

/** The timers of sockets, which end after a time without data. */
const idle = new WeakMap<Socket, Timer>();

// Two methods of Node's own sockets. They call the second one when data passes.
Object.assign(Socket.prototype, {
  setTimeout(this: Socket, ms: number, end?: () => void): Socket {
    const before = idle.get(this);
    if (before) {
      running.delete(before);
    }
    if (ms > 0) {
      idle.set(this, new Timer(ms, () => this.emit('timeout')));
    }
    return end ? this.once('timeout', end) : this;
  },
  _unrefTimer(this: Socket): void {
    idle.get(this)?.restart();
  },
});

function advance(ms: number): void {
  now += ms;
  for (const timer of [...running].sort((one, other) => one.due - other.due)) {
    if (timer.due <= now && running.delete(timer)) {
      timer.end();
    }
  }
}

const channel = new BroadcastChannel(`${process.env.CLOCK}`);
channel.unref();
channel.onmessage = ({ data }) => {
  // After the data that arrived before.
  setImmediate(() => {
    advance(data);
    setImmediate(() => channel.postMessage('advanced'));
  });
};
