// Fails if the tests notice too few of the mutants that they run. Stryker's own threshold would count
// those that only a thread or a program runs, which it cannot watch.
import { readFileSync } from 'node:fs';

const least = 85;

const { files } = JSON.parse(readFileSync('reports/mutation/mutation.json', 'utf8'));
const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
const noticed = statuses.filter((status) => status === 'Killed' || status === 'Timeout').length;
const tested = noticed + statuses.filter((status) => status === 'Survived').length;
const percent = (100 * noticed) / tested;
console.log(`The tests notice ${noticed} of ${tested} mutants: ${percent.toFixed(1)}%.`);
if (tested === 0 || percent < least) {
  console.error(`They must notice ${least}%.`);
  process.exitCode = 1;
}
