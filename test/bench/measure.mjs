// Loads and calls a function as Lambda does. Prints the CPU time in µs of loading with the first
// call, of the first call, and of a later call.
const { file, event } = JSON.parse(process.argv[2]);
/** Number of calls that warm a function up, and of calls to measure. */
const calls = 200;

// Modules that Lambda's runtime client loads before a function.
for (const name of ['async_hooks', 'fs', 'http', 'module', 'path', 'stream', 'url', 'util']) {
  process.getBuiltinModule(name);
}
for (const level of ['info', 'warn', 'error', 'log']) {
  console[level] = () => {};
}
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const context = { awsRequestId: 'id', functionName: 'f', getRemainingTimeInMillis: () => 10_000 };
const call = () => handler(structuredClone(event), context);
// The first import initializes Node's loader. Exclude it from the measurement.
await import('data:text/javascript,');

const begin = cpu();
const imported = await import(file);
const handler = imported.handler ?? imported.default.handler;
const loaded = cpu();
const response = await call();
const called = cpu();
if (response.statusCode >= 300) {
  throw new Error(`${file} returned ${JSON.stringify(response)}`);
}

for (let i = 0; i < calls; i += 1) {
  await call();
}
const warm = cpu();
for (let i = 0; i < calls; i += 1) {
  await call();
}
const later = (cpu() - warm) / calls;
process.stdout.write(JSON.stringify({ start: called - begin, first: called - loaded, later }));
process.exit();
