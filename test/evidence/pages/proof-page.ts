import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StoredRow, topics } from '../../support/report/row.ts';
import { publishPage } from './page.ts';

/** The folders with what `npm run proof` tries. */
export const tried = ['test/evidence/slow', 'test/faults', 'test/fuzz'];

/** The contents of docs/proof.json. */
export interface Proof {
  date: string;
  machine: string;
  node: string;
  minutes: number;
  rows: StoredRow[];
}

/** What `npm run mutation` writes into docs/mutation.json. */
interface Mutation {
  date: string;
  mutants: number;
  killed: number;
}

export const spaced = (value: number): string => `${value}`.replace(/\B(?=(\d{3})+$)/g, ' ');

/** Writes docs/proof.json, and the part of the page that follows from it. */
export function publish(docs: string, proof: Proof): void {
  publishPage(docs, 'proof', proof, figures(proof, mutationOf(docs)));
}

export function mutationOf(docs: string): Mutation | undefined {
  const file = join(docs, 'mutation.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Returns the part of docs/proof.md that a run writes. */
export const figures = (
  { date, machine, node, minutes, rows }: Proof,
  mutation: Mutation | undefined,
): string => `\
The figures are from one run on ${date}, which took ${minutes} minutes on
${machine} with Node ${node}.

| about | what was tried | what came of it |
| --- | --- | --- |
${topics.flatMap((topic) => linesOf(rows.filter((row) => row.topic === topic))).join('\n')}

${mutationText(mutation)}`;

/** Returns a line for each outcome of a topic, with everything that had it. */
function linesOf(rows: StoredRow[]): string[] {
  const byOutcome = Map.groupBy(
    rows,
    ({ topic, outcome }) => `| ${topic} | % | ${cell(outcome)} |`,
  );
  return [...byOutcome].map(([line, those]) => {
    const times = those.map(({ tried: what, count, unit }) => `${what}: ${spaced(count)} ${unit}`);
    return line.replace('%', () => cell(times.join('; ')));
  });
}

function mutationText(mutation: Mutation | undefined): string {
  if (!mutation) return 'No score of mutation testing has been measured yet.';
  const { date, mutants, killed } = mutation;
  const score = ((100 * killed) / mutants).toFixed(1);
  return `On ${date}, the tests noticed ${spaced(killed)} of ${spaced(mutants)} small changes
to \`functions/\` (${score} %). [A list](../test/evidence/mutation/survivors.json) says why
those that are left change nothing for a caller. \`npm run mutation\` repeats it.`;
}
