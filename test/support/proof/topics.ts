import type { Plot } from '../../evidence/proof/plot.ts';

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
  /** What repeats the row, unless it is a part of `npm run proof`, as its file and test. */
  command?: string;
  /** Figures that a test or the README quotes, by name, such as `{ p99Ms: 12.3 }`. */
  figures?: Record<string, number>;
  /** A plot that the page shows below the section's table. */
  plot?: Plot;
}

/** A row as it is stored, with what repeats it and how many seconds that takes. */
export interface StoredRow extends Row {
  command: string;
  seconds: number;
}
