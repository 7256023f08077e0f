// Does what Lambda does with a function, in a new process. Prints the CPU time of each step in µs:
// of loading the function with its first call, of the first call, and of a later call.
const { file, event } = JSON.parse(process.argv[2]);
/** How many calls warm a function up, and how many are measured. */
const calls = 200;

// What Lambda's runtime client has loaded before it loads a function.
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
// The loader's own first import is not the function's matter.
await import('data:text/javascript,');

const begin = cpu();
const imported = await import(file);
const handler = imported.handler ?? imported.default.handler;
const loaded = cpu();
const answer = await call();
const called = cpu();
if (answer.statusCode >= 300) {
  throw new Error(`${file} answered ${JSON.stringify(answer)}`);
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
