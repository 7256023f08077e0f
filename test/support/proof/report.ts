import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, jest } from '@jest/globals';
import type { Row, StoredRow } from './topics.ts';

/** The share of the whole proof to run: 1 in `npm run proof`, and 0 in `npm test`. */
export const share = Number(process.env.PROOF ?? 0);

// A whole proof takes as long as it needs.
if (share > 0) jest.setTimeout(60 * 60_000);

/**
 * Records a row for docs/proof.md and prints it. Call it at the end of a test, after its last
 * check. It does nothing in `npm test`.
 *
 * The command that repeats the row is taken from the file and the name of the test that calls it,
 * so a test reports one row, or rows that belong together.
 *
 * `npm run proof` writes the page only if the share is 1 and every suite passed. Suites in
 * `test/evidence/proof/measured` then ran one after the other, on a machine that did nothing else.
 * All others ran two at a time.
 */
export function report(row: Row, startedAt: number): void {
  if (share === 0) return;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`${row.tried}: ${row.count} ${row.unit}, ${seconds} s. ${row.outcome}\n`);
  const { testPath = '', currentTestName = '' } = expect.getState();
  const file = relative(process.cwd(), testPath).replace(/\.test\.ts$/, '');
  const command = `npm run proof -- ${file} -t '${currentTestName}'`;
  const stored: StoredRow = { command, ...row, seconds };
  if (process.env.PROOF_ROWS) appendFileSync(process.env.PROOF_ROWS, `${JSON.stringify(stored)}\n`);
}
