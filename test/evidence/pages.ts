import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';
import { type StoredRow, type Topic, topics } from '../support/report/row.ts';
import { type Result, tolerance } from './bench/targets.ts';

/** The contents of the JSON files of these names, beside the page of evidence. */
interface Published {
  proof: { date: string; machine: string; node: string; minutes: number; rows: StoredRow[] };
  /** `rounds` are the fewest that a ratio is the median of. */
  speed: { date: string; machine: string; rounds: number; results: Result[] };
}

const spaced = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ');

/** Returns a table in Markdown. Rows that differ in nothing but their last cell are one line. */
function table(...[head = [], ...rows]: string[][]): string {
  const groups = Map.groupBy(rows, (row) => row.slice(0, -1).join(' | '));
  const lines = [...groups].map(([cells, row]) => [
    cells,
    row.map((each) => each.at(-1)).join('; '),
  ]);
  return [head, head.map(() => '---'), ...lines]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}

/** Returns a heading and what was tried below it. Rows of the same outcome are one item. */
function listOf(topic: Topic, rows: StoredRow[]): string {
  const ofTopic = rows.filter((row) => row.topic === topic);
  const items = [...Map.groupBy(ofTopic, ({ outcome }) => outcome)].map(([outcome, group]) => {
    const tried = group.map((row) => `${spaced(row.count)} ${row.unit}: ${row.tried}`);
    return itemOf(`**${tried.join('; ')}.** ${outcome}`);
  });
  return [`### ${topic}`, '', ...items].join('\n');
}

/** Returns a list's item whose lines are broken between words, at 100 columns. */
function itemOf(text: string): string {
  const lines: string[] = [];
  let line = '*';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > 100) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\n');
}

/** Return the parts of the page that the runs write. */
const parts: { [Name in keyof Published]: (data: Published[Name], docs: string) => string } = {
  proof: ({ date, machine, node, minutes, rows }, docs) => `\
The figures are from one run on ${date}, which took ${minutes} minutes on
${machine} with Node ${node}.

${topics.map((topic) => listOf(topic, rows)).join('\n\n')}

### Small changes of the code

${mutationText(join(docs, 'mutation.json'))}`,

  speed: ({ date, machine, rounds, results }) => `\
These figures are from ${date}, on ${machine}. Each is
the median of at least ${rounds} rounds. The run fails if a figure is more than \
${Math.round((tolerance - 1) * 100)} % above its target.

${table(
  ['figure', 'target', 'median'],
  ...results.map(({ title, median, atMost }) => {
    const [of, figure = ''] = title.split(': ');
    const missed = median > atMost ? ' (missed)' : '';
    return [figure, atMost.toFixed(2), `${of} ${median.toFixed(2)}${missed}`];
  }),
)}`,
};

/** Returns what the page says of the last `npm run mutation`. */
function mutationText(file: string): string {
  if (!existsSync(file)) {
    return 'No score of mutation testing has been measured yet.';
  }
  const { date, mutants, killed } = JSON.parse(readFileSync(file, 'utf8'));
  return `On ${date}, the tests noticed ${spaced(killed)} of ${spaced(mutants)} small changes
to \`functions/\` (${((100 * killed) / mutants).toFixed(1)} %). \
[A list](../test/evidence/mutation/survivors.json) says why
those that are left change nothing for a caller. \`npm run mutation\` repeats it.`;
}

/** Writes the JSON of a run, and replaces the part of docs/evidence.md that follows from it. */
export function publish<Name extends keyof Published>(
  name: Name,
  data: Published[Name],
  docs = join(root, 'docs'),
): void {
  const json = join(docs, `${name}.json`);
  const page = join(docs, 'evidence.md');
  // A line for each row lets runs be compared by a diff.
  const members = Object.entries(data).map(([key, value]) => {
    const rows = Array.isArray(value) && value.map((row) => `    ${JSON.stringify(row)}`);
    return `  "${key}": ${rows ? `[\n${rows.join(',\n')}\n  ]` : JSON.stringify(value)}`;
  });
  writeFileSync(json, `{\n${members.join(',\n')}\n}\n`);
  const part = parts[name](data, docs);
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(new RegExp(`(?<=<!-- ${name} -->\\n).*?(?=\\n<!-- end -->)`, 's'), () => part),
  );
}
