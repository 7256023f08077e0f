import { assumedInit, assumedSeconds, priceOf } from '../../lib/prices.ts';
import { textTable } from '../command-line/text-table.ts';
import type { Total } from './request-log.ts';

const columns = ['requests', 'cold', 'reads', 'writes', '$ a million'];

/** Returns a table of what the requests of each operation used, and what a million would cost. */
export function costTable(totals: ReadonlyMap<string, Total>): string {
  const rows = [...totals].map(([operation, total]) => [operation, ...cells(total)]);
  const table = textTable([['', ...columns], ...rows], 'right');
  const milliseconds = assumedSeconds * 1000;
  return `
What these requests used, in units of DynamoDB, and what a million of each would
cost on AWS (US dollars, us-east-1):

${table}

The price covers API Gateway, Lambda, DynamoDB and logs, at ${milliseconds} ms an
invocation and one cold start in ${1 / assumedInit.share}. API Gateway charges for no request that
the authorizer refuses. Free allowances, X-Ray, data sent, storage and alarms
are left out.
docs/cost-and-scale.md has them all.
`;
}

function cells(total: Total): string[] {
  const { requests, refused, coldStarts, reads, writes } = total;
  const prices = priceOf({ ...total, requests: requests - refused });
  const dollars = Object.values(prices).reduce((sum, price) => sum + price, 0);
  const ofMillion = ((dollars / requests) * 1e6).toFixed(2);
  return [requests, coldStarts, reads, writes, ofMillion].map(String);
}
