// Loads functions as Lambda does, calls each with its events, and prints a report. stdin has the
// module, the environment variables and the events of each. Importing node:fs or node:crypto would
// load more than they do.
const [fs, net, tls] = ['fs', 'net', 'tls'].map(process.getBuiltinModule);
const functions = JSON.parse(fs.readFileSync(0, 'utf8'));

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

let log = [];
for (const level of ['info', 'warn', 'error']) {
  console[level] = (entry) => log.push(entry);
}

const context = { getRemainingTimeInMillis: () => 10_000 };
const reports = {};
const environment = { ...process.env };
for (const { id, module, variables, events } of functions) {
  process.env = { ...environment, ...variables };
  Object.assign(count, { connections: 0, secureContexts: 0 });
  log = [];
  const loadedBefore = new Set(process.moduleLoadList);
  try {
    const { handler } = await import(module);
    const atStart = { ...count, log: [...log] };
    const results = [];
    const modules = [];
    for (const event of events) {
      results.push(await handler(event, context).catch(({ name, message }) => ({ name, message })));
      if (results.length === 1) {
        modules.push(...process.moduleLoadList.filter((name) => !loadedBefore.has(name)));
      }
    }
    reports[id] = { atStart, results, log, modules };
  } catch (error) {
    reports[id] = { error: `${error}` };
  }
}
process.stdout.write(JSON.stringify(reports), () => process.exit());
