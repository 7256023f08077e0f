// Does what Lambda does with a function, in a new process, and prints the CPU time of each step in µs.
const { file, event, calls } = JSON.parse(process.argv[2]);

// What Lambda's runtime client has loaded before it loads a function.
for (const name of ['async_hooks', 'fs', 'http', 'module', 'path', 'stream', 'url', 'util'])
  process.getBuiltinModule(name);
for (const level of ['info', 'warn', 'error', 'log']) console[level] = () => {};
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
for (let i = 0; i < calls / 5; i++) await call();
const warm = cpu();
for (let i = 0; i < calls; i++) await call();
const end = cpu();

if (answer.statusCode >= 300) throw new Error(`${file} answered ${JSON.stringify(answer)}`);
const figures = {
  start: called - begin,
  first: called - loaded,
  warm: calls > 0 ? (end - warm) / calls : 0,
  rss: process.resourceUsage().maxRSS,
};
process.stdout.write(`\n${JSON.stringify(figures)}`, () => process.exit());
