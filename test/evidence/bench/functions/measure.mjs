// Does what Lambda does with a function, in a new process. Prints the CPU time of each step in µs.
const { file, event } = JSON.parse(process.argv[2]);

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
const start = called - begin;
const first = called - loaded;
// Powertools writes to stdout too, so that the figures need a mark.
const print = (warm) => {
  const figures = { start, first, warm, rss: process.resourceUsage().maxRSS };
  process.stdout.write(`\nfigures ${JSON.stringify(figures)}\n`);
};
print(0);

// A number on stdin asks for so many calls.
process.stdin.on('end', () => process.exit());
process.stdin.on('data', async (count) => {
  const before = cpu();
  for (let i = 0; i < count; i++) {
    await call();
  }
  print((cpu() - before) / count);
});
