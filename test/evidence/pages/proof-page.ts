import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StoredRow, topics } from '../../support/report/row.ts';
import { jsonRows } from './json-rows.ts';

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

/** Writes docs/proof.json, and the page that follows from it. */
export function publish(docs: string, proof: Proof): void {
  writeFileSync(join(docs, 'proof.json'), jsonRows(proof));
  writeFileSync(join(docs, 'proof.md'), page(proof, mutationOf(docs)));
}

export function mutationOf(docs: string): Mutation | undefined {
  const file = join(docs, 'mutation.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Returns docs/proof.md. */
export const page = (
  { date, machine, node, minutes, rows }: Proof,
  mutation: Mutation | undefined,
): string => `# Proof

This page says what the plant store has survived. \`npm ci --prefix .ci && npm run proof\` tries all
of it and then writes the page and [proof.json](proof.json), if nothing failed and nothing was left
out. The first command installs DynamoDB Local, which needs Java.

The figures are from one run on ${date}, which took ${minutes} minutes on
${machine} with Node ${node}. The JSON has the command that repeats
a row alone. If random input fails, the error shows the smallest failing case and a command that
repeats it. CI runs the same tests with fewer cases. "As the contract asks" means by an independent
reading of the contract, \`test/fuzz/oracle.ts\`, which shares no code with the functions. Most
requests go straight to the bundles that a deployment ships. One in ten goes over HTTP.

| about | what was tried | what came of it |
| --- | --- | --- |
${topics.flatMap((topic) => linesOf(rows.filter((row) => row.topic === topic))).join('\n')}

${mutationText(mutation)}

## What was not shown

* **Nothing ran in an AWS account.** An emulator, an embedded engine, DynamoDB Local and a proxy
  that breaks connections played the parts of API Gateway, Lambda, IAM and DynamoDB.
  \`npm run contract\` asks a deployed stack.
* **Nothing ran on a Mac or on Windows**, nor on arm64, which the deployed functions use.
* **Load was that of one machine**, which clients, functions and the database shared. It shows that
  nothing leaks or breaks, and not how fast AWS would be.
* **DynamoDB Local is not DynamoDB.** It gives one deleted item to several callers, so concurrent
  deletes are checked on the embedded engine.
* **Random tests find no proof of absence.** They show what held in so many cases.
`;

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
