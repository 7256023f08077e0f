// Loads a function as Lambda does, calls it with the events on stdin, and prints what it did.
// Importing node:fs or node:crypto would load more than a function does.
const [crypto, fs, net, tls] = ['crypto', 'fs', 'net', 'tls'].map(process.getBuiltinModule);
const loadedBefore = new Set(process.moduleLoadList);
const { folder, events, frozen } = JSON.parse(fs.readFileSync(0, 'utf8'));

const count = { signatures: 0, connections: 0, secureContexts: 0 };
const countCalls = (object, name, counter) => {
  const original = object[name];
  object[name] = function (...args) {
    count[counter] += 1;
    return original.apply(this, args);
  };
};
countCalls(crypto, 'createHmac', 'signatures');
countCalls(net.Socket.prototype, 'connect', 'connections');
countCalls(tls, 'createSecureContext', 'secureContexts');

/** The timers that have run, in milliseconds, which a busy machine does not make longer. */
let waitedMs = 0;
const { setTimeout: later } = globalThis;
globalThis.setTimeout = (call, ms, ...given) => {
  const run = (...args) => {
    waitedMs += ms;
    call(...args);
  };
  return later(run, ms, ...given);
};

if (frozen) {
  const now = 1_700_000_000_000;
  globalThis.Date = class extends Date {
    constructor(...args) {
      super(...(args.length > 0 ? args : [now]));
    }
    static now = () => now;
  };
  for (const object of [crypto, globalThis.crypto]) {
    object.randomUUID = () => '00000000-0000-4000-8000-000000000000';
  }
  crypto.randomBytes = (size) => Buffer.alloc(size);
  Math.random = () => 0;
}

const log = [];
for (const level of ['info', 'warn', 'error']) {
  console[level] = (entry) => log.push(entry);
}

const { handler } = await import(`${folder}/start.mjs`);
const atStart = { ...count, waitedMs, log: [...log] };
const answers = [];
for (const event of events) {
  try {
    answers.push(await handler(event, { getRemainingTimeInMillis: () => 10_000 }));
  } catch ({ name, message }) {
    answers.push({ name, message });
  }
}
const modules = process.moduleLoadList.filter((module) => !loadedBefore.has(module));
process.stdout.write(JSON.stringify({ atStart, answers, log, modules }), () => process.exit());
