import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { example } from '../../../bin/command-line/example.ts';
import { faultyCopy } from '../faulty-copy.ts';
import { publish } from '../pages.ts';
import { type Mutant, mutate } from './stryker.ts';
import { findFailure } from './suites.ts';

const program = new Command('npm run mutation --')
  .description('Changes files in small ways, one at a time, and lists what no test notices.')
  .argument('[files...]', 'files or glob patterns; all functions if left out')
  .addHelpText('after', example('npm run mutation -- functions/http/json.ts'))
  .parse();
const patterns = program.args;
const missing = patterns.find((pattern) => globSync(pattern).length === 0);
if (missing) {
  program.error(`error: No file matches ${missing}.`);
}
const mutants = mutate(patterns.length > 0 ? patterns : ['functions/**/*.ts']);
if (mutants.length === 0) {
  program.error('error: Nothing in these files can be changed.');
}
const queue = mutants.filter(({ isDetected }) => !isDetected);

console.log(`The unit tests leave ${queue.length} of ${mutants.length} changes.`);
const describe = ({ file, name, change }: Mutant) => `${file}, ${name} (${change})`;
const survived: Mutant[] = [];
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-mutants-'));
    const copy = faultyCopy(folder);
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const failure = await findFailure(copy, mutant);
      if (!failure) {
        survived.push(mutant);
      }
      console.log(`${failure ?? 'SURVIVED'}: ${describe(mutant)}`);
    }
    rmSync(folder, { recursive: true });
  }),
);

const killed = mutants.length - survived.length;
const score = Math.floor((1000 * killed) / mutants.length) / 10;
console.log(`${killed} of ${mutants.length} changes are detected: ${score} %.`);

/** The changes that no test notices, by file and name, and why they change nothing for a user. */
const survivors: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'),
);
const unexplained = survived.filter(({ file, name }) => !survivors[file]?.[name]);
for (const mutant of unexplained) {
  console.error(`Nothing detects ${describe(mutant)}`);
}
const stale = Object.entries(survivors)
  .filter(([file]) => patterns.length === 0 || mutants.some((mutant) => mutant.file === file))
  .flatMap(([file, names]) => Object.keys(names).map((name) => ({ file, name })))
  .filter(({ file, name }) => !survived.some((one) => one.file === file && one.name === name));
for (const { file, name } of stale) {
  console.error(`survivors.json explains what does not survive: ${file}, ${name}`);
}
if (unexplained.length > 0 || stale.length > 0 || score < 90) {
  process.exitCode = 1;
} else if (patterns.length === 0) {
  const date = new Date().toISOString().slice(0, 10);
  const figures = { date, mutants: mutants.length, killed };
  writeFileSync('docs/mutation.json', `${JSON.stringify(figures, null, 2)}\n`);
  // The page shows the score beside the figures of the last whole proof.
  publish('proof', JSON.parse(readFileSync('docs/proof.json', 'utf8')));
}
