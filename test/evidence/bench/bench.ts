import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { example } from '../../../bin/command-line/example.ts';
import { refuseOptionsOfNpm } from '../../../bin/command-line/refused-arguments.ts';
import { publish } from '../pages.ts';
import { measureEmulator } from './emulator/measure-emulator.ts';
import { buildCandidates } from './functions/build.ts';
import { measureLaterCalls, measureStarts, type Task } from './functions/rounds.ts';
import { startStubDatabase } from './functions/stub-database.ts';
import { measureScale } from './scale.ts';
import { again, resultsOf, scatterOf, tolerance } from './targets.ts';

const program = new Command('npm run bench --')
  .description('Measures the functions beside others and writes docs/evidence.md.')
  .option('--check', 'write nothing, and let no machine fail that is too busy to measure')
  .option('--seconds <number>', 'time for the starts; later calls take as long', Number, 60)
  .addHelpText('after', example('npm run bench -- --check'));
refuseOptionsOfNpm(program);
const options = program.parse().opts<{ check?: true; seconds: number }>();

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const cores = `${availableParallelism()} × ${cpus()[0]?.model.trim()}`;

try {
  await compare();
} finally {
  rmSync(folder, { recursive: true });
}
process.exit();

async function compare(): Promise<void> {
  console.error('Building the functions and what they are compared with …');
  const candidates = buildCandidates(folder);
  const database = await startStubDatabase(folder);
  const { endpoint, tls } = database;
  const ours = candidates.filter(({ name, entry }) => name === entry || name === `raw ${entry}`);
  const raw = candidates.filter(({ name }) => name === 'raw create-plant');

  const starts: Task[] = [
    ...candidates.map((candidate) => ({ name: candidate.name, candidate, endpoint })),
    ...raw.map((candidate) => ({ name: again, candidate, endpoint })),
    ...(tls ? ours.map((candidate) => ({ name: `TLS ${candidate.name}`, candidate, ...tls })) : []),
  ];
  const warm: Task[] = [
    ...ours.map((candidate) => ({ name: `warm ${candidate.name}`, candidate, endpoint })),
    ...raw.map((candidate) => ({ name: `warm ${again}`, candidate, endpoint })),
    ...ours
      .filter(({ entry }) => entry === 'list-plants')
      .map((candidate) => {
        const name = `thousand ${candidate.name}`;
        return { name, candidate, owner: 'thousand', calls: 50, endpoint };
      }),
  ];
  if (!tls) {
    console.error('Without openssl there is no certificate, so TLS is left out.');
  }
  console.error(`Starting functions for ${options.seconds} s …`);
  const figures = await measureStarts(starts, options.seconds);
  console.error(`Calling started functions for ${options.seconds} s …`);
  const later = await measureLaterCalls(warm, options.seconds);
  for (const [name, each] of later) {
    figures.set(name, each);
  }
  database.stop();

  console.error('Starting and loading the emulator …');
  const emulator = await measureEmulator();
  console.error('Listing from a store that grows …');
  const results = [...resultsOf(figures), ...emulator, ...(await measureScale(folder))];
  console.table(results);
  const scatter = scatterOf(figures);
  const failed = results.filter(({ median, atMost }) => median > atMost * tolerance);
  if (scatter) {
    console.error(`This machine is too busy to measure on: ${scatter}.`);
    console.error('Nothing is published. Run npm run bench again when the machine is idle.');
    process.exitCode = options.check ? 0 : 1;
    return;
  }
  for (const { title, median, atMost } of failed) {
    console.error(`${title} is ${median.toFixed(2)}; the target is ${atMost}.`);
  }
  if (failed.length > 0) {
    process.exitCode = 1;
  }
  if (options.check) {
    return;
  }
  publish('speed', {
    machine: `${process.arch}, ${cores}, Node ${process.version}`,
    date: new Date().toISOString().slice(0, 10),
    rounds: Math.min(...[...figures.values()].map(({ length }) => length)),
    results,
  });
  console.error(
    'Written: docs/speed.json and docs/evidence.md. A test compares the README to them.',
  );
}
