// Loads a function as Lambda does, calls it with the events on stdin, and prints a report.
// Importing node:fs or node:crypto would load more than a function does.
const [fs, net, tls] = ['fs', 'net', 'tls'].map(process.getBuiltinModule);
const { module, events } = JSON.parse(fs.readFileSync(0, 'utf8'));

const count = { connections: 0, secureContexts: 0 };
const countCalls = (object, name, counter) => {
  const original = object[name];
  object[name] = function (...args) {
    count[counter] += 1;
    return original.apply(this, args);
  };
};
countCalls(net.Socket.prototype, 'connect', 'connections');
countCalls(tls, 'createSecureContext', 'secureContexts');

const log = [];
for (const level of ['info', 'warn', 'error']) {
  console[level] = (entry) => log.push(entry);
}

const loadedBefore = new Set(process.moduleLoadList);
const { handler } = await import(module);
const atStart = { ...count, log: [...log] };
const results = [];
const modules = [];
for (const event of events) {
  try {
    results.push(await handler(event, { getRemainingTimeInMillis: () => 10_000 }));
  } catch ({ name, message }) {
    results.push({ name, message });
  }
  if (results.length === 1) {
    modules.push(...process.moduleLoadList.filter((name) => !loadedBefore.has(name)));
  }
}
process.stdout.write(JSON.stringify({ atStart, results, log, modules }), () => process.exit());
