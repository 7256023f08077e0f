import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StoredRow, topics } from '../../support/proof/topics.ts';
import { jsonRows } from '../json-rows.ts';
import { linePlot } from './plot.ts';

/** The contents of docs/proof.json. */
export interface Proof {
  date: string;
  machine: string;
  node: string;
  minutes: number;
  rows: StoredRow[];
}

/** What `npm run mutation` writes into docs/mutation.json, of which the page shows this much. */
export interface Mutation {
  date: string;
  mutants: number;
  killed: number;
}

export const spaced = (value: number): string => `${value}`.replace(/\B(?=(\d{3})+$)/g, ' ');

/** Writes docs/proof.json, and the page and the plots that follow from it. */
export function publish(docs: string, proof: Proof): void {
  writeFileSync(join(docs, 'proof.json'), jsonRows(proof));
  writeFileSync(join(docs, 'proof.md'), page(proof, mutationOf(docs)));
  for (const { plot } of proof.rows)
    if (plot) writeFileSync(join(docs, `proof-${plot.name}.svg`), linePlot(plot));
}

export function mutationOf(docs: string): Mutation | undefined {
  const file = join(docs, 'mutation.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Returns docs/proof.md. */
export function page(proof: Proof, mutation: Mutation | undefined): string {
  const { date, machine, node, minutes, rows } = proof;
  const sections = topics
    .filter((topic) => rows.some((row) => row.topic === topic))
    .map((topic) => section(topic, rows));
  return `# Proof

What the plant store has survived, and how to repeat it. One command tries all of it and then writes
this page, if nothing failed and nothing was left out:

\`\`\`sh
npm ci --prefix .ci && npm run proof
\`\`\`

The first part installs DynamoDB Local, which needs Java. The figures are from one run on
${date}, which took ${minutes} minutes on ${machine} with Node ${node}.
The command in the last column repeats its row alone. If random input fails, the error shows the
smallest failing case and a variable \`REPLAY\` that repeats it. CI runs the same tests with fewer
cases.

"As the contract asks" means by an independent reading of the contract, test/fuzz/oracle.ts,
which shares no code with the functions. Most requests go straight to the bundles that a deployment
ships. One in ten goes over HTTP, through the gateway that \`npm start\` has.

${sections.join('\n')}
## What else is checked

* **Mutation testing.** ${mutationText(mutation)}
* **Speed.** \`npm run bench\` compares CPU time with other ways to write the functions.
* **Supply chain.** \`npm run sbom\` lists what the bundles hold. \`npm test\` checks the licences
  and the lock files, and \`.ci/sbom\` checks the list with CycloneDX's own schema.
* **A deployment.** \`.ci/deploy\` deploys the stack to a stand-in for AWS, and \`.ci/sam\` runs it
  in Lambda's own runtime.

## What was not shown

* **Nothing ran in an AWS account.** API Gateway, Lambda, IAM and DynamoDB themselves were never
  asked. Their part was played by the emulator of \`npm start\`, by an embedded engine, by DynamoDB
  Local and by a proxy that breaks connections. \`npm run contract\` asks a deployed stack.
* **Nothing ran on a Mac or on Windows**, nor on arm64, which the deployed functions use.
* **Load was that of one machine**, on which the clients, the functions and the database shared the
  cores. It shows that nothing leaks or breaks, and not how fast AWS would be.
* **DynamoDB Local is not DynamoDB.** It gives one deleted item to several callers, so concurrent
  deletes are checked on the embedded engine.
* **Random tests find no proof of absence.** They show what held in so many cases.
`;
}

function section(topic: string, rows: StoredRow[]): string {
  const own = rows.filter((row) => row.topic === topic);
  const plots = own.flatMap(({ plot }) =>
    plot ? [`\n![${plot.title}](proof-${plot.name}.svg)\n`] : [],
  );
  return `## ${topic}

| what was tried | how often | what came of it | repeat it |
| --- | --- | --- | --- |
${own
  .map(
    ({ tried, count: times, unit, outcome, command }) =>
      `| ${cell(tried)} | ${spaced(times)} ${unit} | ${cell(outcome)} | \`${command}\` |`,
  )
  .join('\n')}
${plots.join('')}`;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function mutationText(mutation: Mutation | undefined): string {
  if (!mutation) return 'No score has been measured yet.';
  const { date, mutants, killed } = mutation;
  const score = ((100 * killed) / mutants).toFixed(1);
  return `On ${date}, the tests noticed ${spaced(killed)} of ${spaced(mutants)} small changes
  to \`functions/\` (${score} %). [A list](../test/evidence/mutation/survivors.json) says why
  those that are left change nothing for a caller. \`npm run mutation\` repeats it.`;
}
