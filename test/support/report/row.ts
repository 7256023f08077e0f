/** What the rows are about, in the order in which they are shown. */
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

/** Something that a suite tried. */
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
  /** What repeats the row, unless its test alone does. */
  command?: string;
}

/** A row as it is collected, with what repeats it and how many seconds that takes. */
export interface StoredRow extends Row {
  command: string;
  seconds: number;
}
