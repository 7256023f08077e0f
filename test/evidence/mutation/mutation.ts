import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { example } from '../../../bin/command-line/example.ts';
import { publish } from '../pages.ts';
import { type Mutant, mutate } from './stryker.ts';
import { openCopy } from './suites.ts';

type Change = Pick<Mutant, 'file' | 'before' | 'after'>;

/** A change that no test notices, and why it changes nothing for a user. */
interface Survivor extends Change {
  reason: string;
}

const program = new Command('npm run mutation --')
  .description('Changes files in small ways, one at a time, and lists what no test notices.')
  .argument('[files...]', 'files or glob patterns; all functions if left out')
  .addHelpText('after', example('npm run mutation -- functions/http/json.ts'))
  .parse();
const patterns = program.args;
const missing = patterns.find((pattern) => globSync(pattern).length === 0);
if (missing) program.error(`error: No file matches ${missing}.`);
const mutants = mutate(patterns.length > 0 ? patterns : ['functions/**/*.ts']);
if (mutants.length === 0) program.error('error: Nothing in these files can be changed.');
const queue = mutants.filter(({ isDetected }) => !isDetected);

console.log(`The unit tests leave ${queue.length} of ${mutants.length} changes.`);
const survived: Mutant[] = [];
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    const copy = openCopy();
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const failure = await copy.findFailure(mutant);
      if (!failure) survived.push(mutant);
      console.log(`${failure ?? 'SURVIVED'}: ${describe(mutant)}`);
    }
    copy.remove();
  }),
);

const killed = mutants.length - survived.length;
const score = Math.floor((1000 * killed) / mutants.length) / 10;
console.log(`${killed} of ${mutants.length} changes are detected: ${score} %.`);

const explained: Survivor[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'),
);
const isSame = (one: Change) => (other: Change) =>
  (['file', 'before', 'after'] as const).every((key) => one[key] === other[key]);
const unexplained = survived.filter((mutant) => !explained.some(isSame(mutant)));
for (const mutant of unexplained) console.error(`Nothing detects ${describe(mutant)}`);
const stale = explained.filter(
  (survivor) => patterns.length === 0 && !survived.some(isSame(survivor)),
);
for (const survivor of stale)
  console.error(`survivors.json explains what does not survive: ${describe(survivor)}`);
if (unexplained.length > 0 || stale.length > 0 || score < 90) process.exitCode = 1;
else if (patterns.length === 0) {
  const date = new Date().toISOString().slice(0, 10);
  const figures = { date, mutants: mutants.length, killed };
  writeFileSync('docs/mutation.json', `${JSON.stringify(figures, null, 2)}\n`);
  // The page shows the score beside the figures of the last whole proof.
  publish('proof', JSON.parse(readFileSync('docs/proof.json', 'utf8')));
}

function describe({ file, before, after }: Change): string {
  return `${file}\n  - ${before}\n  + ${after}`;
}
