import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from '@jest/globals';

/** The share of the whole proof to run: 1 in `npm run proof`, and 0 in `npm test`. */
export const share = Number(process.env.PROOF ?? 0);

/** The sections of docs/proof.md, in their order. */
export const topics = [
  'Hostile input',
  'Histories and pages',
  'Concurrency',
  'Faults',
  'Crashes',
  'Load',
  'Deliberate faults',
] as const;
export type Topic = (typeof topics)[number];

/** Something that a suite tried: a row of docs/proof.md. */
export interface Row {
  topic: Topic;
  /** What was tried, in a few words that no other row has, such as "creates of one id at once". */
  tried: string;
  /** How often. */
  count: number;
  /** What was counted, such as "cases", "rounds" or "kills". */
  unit: string;
  /** What came of it: a sentence or two with a full stop, which hold because the test passed. */
  outcome: string;
  /** Figures that a test or the README quotes, by name, such as `{ p99Ms: 12.3 }`. */
  figures?: Record<string, number>;
  /** A plot that the page shows below the section's table. */
  plot?: Plot;
}

/** Lines over a common x axis. It becomes docs/proof-NAME.svg. */
export interface Plot {
  name: string;
  title: string;
  /** What the axes show, with their units. */
  x: string;
  y: string;
  lines: { name: string; points: [x: number, y: number][] }[];
}

/** A row as it is stored, with what repeats it and how long that takes. */
export type StoredRow = Row & { command: string; seconds: number };

/**
 * Records a row for docs/proof.md and prints it. Call it at the end of a test, after its last
 * check. It does nothing in `npm test`.
 *
 * The command that repeats the row is taken from the file and the name of the test that calls it,
 * so a test reports one row, or rows that belong together.
 *
 * `npm run proof` writes the page only if the share is 1 and every suite passed. Suites in
 * `test/proof/alone` then ran one after the other, on a machine that did nothing else. All others
 * ran two at a time.
 */
export function report(row: Row, startedAt: number): void {
  if (share === 0) return;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`${row.tried}: ${row.count} ${row.unit}, ${seconds} s. ${row.outcome}\n`);
  const { testPath = '', currentTestName = '' } = expect.getState();
  const file = relative(process.cwd(), testPath).replace(/\.test\.ts$/, '');
  const command = `npm run proof -- ${file} -t '${currentTestName}'`;
  const stored: StoredRow = { ...row, command, seconds };
  if (process.env.PROOF_ROWS) appendFileSync(process.env.PROOF_ROWS, `${JSON.stringify(stored)}\n`);
}
