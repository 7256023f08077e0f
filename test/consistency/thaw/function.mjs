// Runs a bundle as Lambda does: one invocation for each line of the input, `SECONDS ID BODY`.
// It begins as if so many seconds had passed since the one before. Prints its status.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const output = process.stdout.write.bind(process.stdout);
for (const level of ['info', 'error']) {
  console[level] = () => {};
}
const { handler } = await import(pathToFileURL(process.argv[2]).href);

let passed = 0;
const now = Date.now;
Date.now = () => now() + passed;

output('ready\n');
createInterface({ input: process.stdin }).on('line', async (line) => {
  const [seconds, id, ...body] = line.split(' ');
  passed += Number(seconds) * 1000;
  const event = {
    multiValueHeaders: { 'Content-Type': ['application/json'] },
    body: body.join(' '),
    requestContext: { path: '/v1/plants', requestId: id, authorizer: { owner: 'alice' } },
  };
  const { statusCode } = await handler(event, { getRemainingTimeInMillis: () => 10_000 });
  output(`${statusCode}\n`);
});
