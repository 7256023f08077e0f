// Runs the functions in a process, because Node reads NODE_EXTRA_CA_CERTS only at its start. Each
// line of the input is a call: `{ entry, event }`. Prints its result or error, as JSON.
import { createInterface } from 'node:readline';

const print = (object) => process.stdout.write(`${JSON.stringify(object)}\n`);
let log = [];
for (const level of ['info', 'error']) {
  console[level] = (line) => log.push(line);
}
const handlers = {};
for (const entry of ['create-plant', 'list-plants', 'delete-plant', 'authorize']) {
  const { handler } = await import(`../../../functions/${entry}.ts`);
  handlers[entry] = handler;
}

print('ready');
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { entry, event } = JSON.parse(line);
  log = [];
  try {
    const result = await handlers[entry](event, { getRemainingTimeInMillis: () => 10_000 });
    print({ status: result.statusCode ?? 200, log });
  } catch {
    print({ status: 503, log });
  }
});
