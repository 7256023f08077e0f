import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, jest } from '@jest/globals';
import { root } from '../checkout.ts';
import type { Row, StoredRow } from './row.ts';

/** The share of the cases to try: 1 in a whole proof, and 0 in `npm test`, which tries a few. */
export const share = Number(process.env.PROOF ?? 0);

// A whole proof takes as long as it needs.
if (share > 0) {
  jest.setTimeout(60 * 60_000);
}

/** Returns a command that runs the current test alone. `npm test` leaves out what is slow. */
export function commandOfTest(): string {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const file = relative(root, testPath).replace(/\.test\.ts$/, '');
  const run = file.includes('/proof/') ? 'npm run proof' : 'npm test';
  return `${run} -- ${file} -t '${currentTestName}'`;
}

/**
 * Prints a row, and appends it to the file that PROOF_ROWS names. Call it at the end of a test,
 * after its last check. It does nothing in `npm test`.
 */
export function report(row: Row, startedAt: number): void {
  if (share === 0) {
    return;
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`${row.tried}: ${row.count} ${row.unit}, ${seconds} s. ${row.outcome}\n`);
  const stored: StoredRow = { command: `PROOF=1 ${commandOfTest()}`, ...row, seconds };
  if (process.env.PROOF_ROWS) {
    appendFileSync(process.env.PROOF_ROWS, `${JSON.stringify(stored)}\n`);
  }
}
