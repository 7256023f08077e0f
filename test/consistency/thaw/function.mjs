// Runs the function that creates plants as Lambda does: one invocation for each input line,
// `SECONDS ID`. SECONDS is the time since the last invocation. Prints the status.
import { createInterface } from 'node:readline';

const output = process.stdout.write.bind(process.stdout);
for (const level of ['info', 'error']) {
  console[level] = () => {};
}
const { makeBody } = await import('../../support/plant.ts');
const { handler } = await import('../../../functions/create-plant.ts');

let passed = 0;
const now = Date.now;
Date.now = () => now() + passed;

output('ready\n');
createInterface({ input: process.stdin }).on('line', async (line) => {
  const [seconds, id] = line.split(' ');
  passed += Number(seconds) * 1000;
  const event = {
    multiValueHeaders: { 'Content-Type': ['application/json'] },
    body: makeBody(id),
    requestContext: { path: '/v1/plants', requestId: id, authorizer: { owner: 'alice' } },
  };
  const { statusCode } = await handler(event, { getRemainingTimeInMillis: () => 10_000 });
  output(`${statusCode}\n`);
});
