import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { publish } from '../proof/page.ts';
import { type Mutant, mutate } from './stryker.ts';
import { openCopy } from './suites.ts';

/** A change that no test notices, and why it changes nothing for a user. */
interface Survivor {
  file: string;
  before: string;
  after: string;
  reason: string;
}

const explained: Survivor[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'),
);
const isSame = (mutant: Mutant) => (survivor: Survivor) =>
  (['file', 'before', 'after'] as const).every((key) => mutant[key] === survivor[key]);

const patterns = process.argv.slice(2);
const mutants = mutate(patterns.length > 0 ? patterns : ['functions/**/*.ts']);
const left = mutants.filter(({ isDetected }) => !isDetected);
const [known, unknown] = [true, false].map((isKnown) =>
  left.filter((mutant) => explained.some(isSame(mutant)) === isKnown),
) as [Mutant[], Mutant[]];

console.log(`The unit tests leave ${left.length} of ${mutants.length} changes.`);
const unexplained: Mutant[] = [];
const queue = [...unknown];
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    const copy = openCopy();
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const failure = await copy.findFailure(mutant);
      if (!failure) unexplained.push(mutant);
      console.log(`${failure ?? 'SURVIVED'}: ${describe(mutant)}`);
    }
    copy.remove();
  }),
);

const survived = known.length + unexplained.length;
const score = Math.floor((1000 * (mutants.length - survived)) / mutants.length) / 10;
console.log(`${mutants.length - survived} of ${mutants.length} changes are detected: ${score} %.`);
for (const mutant of unexplained) console.error(`Nothing detects ${describe(mutant)}`);
const stale = explained.filter(
  (survivor) => patterns.length === 0 && !left.some((mutant) => isSame(mutant)(survivor)),
);
for (const survivor of stale)
  console.error(`survivors.json explains what does not survive: ${describe(survivor)}`);
if (unexplained.length > 0 || stale.length > 0 || score < 90) process.exitCode = 1;
else if (patterns.length === 0) {
  const date = new Date().toISOString().slice(0, 10);
  const figures = { date, mutants: mutants.length, killed: mutants.length - survived };
  writeFileSync('docs/mutation.json', `${JSON.stringify(figures, null, 2)}\n`);
  // The page shows the score beside the figures of the last whole proof.
  publish('docs', JSON.parse(readFileSync('docs/proof.json', 'utf8')));
}

function describe({ file, before, after }: Pick<Mutant, 'file' | 'before' | 'after'>): string {
  return `${file}\n  - ${before}\n  + ${after}`;
}
