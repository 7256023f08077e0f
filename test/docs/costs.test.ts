import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { prices } from '../../lib/prices.ts';

const page = readFileSync(
  join(import.meta.dirname, '..', '..', 'docs', 'cost-and-scale.md'),
  'utf8',
);

// What docs/cost-and-scale.md assumes of a request.
const authorizerCalls = 0.1;
const seconds = 0.025;
const gigabytes = 0.5;
const reads = 0.6 + authorizerCalls;
const writes = 0.4;
const logKilobytes = 1.1;
const sentKilobytes = 1.5;
// Prices of what the dashboard does not show.
const millionTraces = 5;
const sentGb = 0.09;
const secondsOfAMonth = 730 * 3600;

function costs(million: number) {
  const invocations = million * (1 + authorizerCalls);
  // The first request of a second, and one in twenty of the others.
  const reservoir = Math.min(million, secondsOfAMonth / 1e6);
  const traces = reservoir + 0.05 * (million - reservoir);
  return [
    million * prices.millionGatewayRequests,
    invocations *
      (prices.millionLambdaRequests + 1e6 * seconds * gigabytes * prices.lambdaGbSecond.arm64),
    million * (reads * prices.millionTableReads + writes * prices.millionTableWrites),
    invocations * logKilobytes * prices.logGb,
    traces * millionTraces,
    million * sentKilobytes * sentGb,
  ];
}

const dollars = (amount: number) =>
  amount === 0 ? '0' : amount < 100 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en');

test.each([
  ['idle', 0],
  ['1 thousand', 0.001],
  ['1 million', 1],
  ['100 million', 100],
])('what %s requests a month cost follows from the prices', (name, million) => {
  const parts = costs(million);
  const row = [name, ...parts, parts.reduce((sum, part) => sum + part, 0)];
  expect(page).toContain(
    `| ${row.map((cell) => (typeof cell === 'number' ? dollars(cell) : cell)).join(' | ')} |`,
  );
});

test('what the defaults cap is the gateway at its throttle, all month', () => {
  const million = (3 * 50 * secondsOfAMonth) / 1e6;
  const total = costs(million).reduce((sum, part) => sum + part, 0);
  expect(page).toContain(
    `${Math.round(million)} million requests a month and ${dollars(Math.round(total / 100) * 100)} dollars`,
  );
});

test.each([
  ['REST API requests', prices.millionGatewayRequests, 'million'],
  ['Lambda invocations', prices.millionLambdaRequests, 'million'],
  ['Lambda memory, arm64', prices.lambdaGbSecond.arm64, 'GB-second'],
  ['Lambda memory, x86_64', prices.lambdaGbSecond.x86_64, 'GB-second'],
  ['DynamoDB reads', prices.millionTableReads, 'million units'],
  ['DynamoDB writes', prices.millionTableWrites, 'million units'],
  ['CloudWatch Logs', prices.logGb, 'GB taken in'],
  ['X-Ray traces', millionTraces, 'million'],
  ['Data sent to the internet', sentGb, 'GB'],
])('the price of %s is the one that the dashboard and the tables use', (what, price, unit) => {
  expect(page).toContain(`| ${what} | ${price} | ${unit} |`);
});
