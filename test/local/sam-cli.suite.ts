import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { testOnPosix } from '../support/posix.ts';
import { type Program, startProgram } from '../support/program.ts';

/** Stops at SIGINT only, like SAM CLI. */
const sam = `
  const { writeFileSync } = require('node:fs');
  const parent = process.ppid;
  // Exits with the test, but handles a signal that came before.
  setInterval(() => process.ppid === parent || setImmediate(() => process.exit()), 100);
  process.on('SIGINT', () => {
    writeFileSync(__filename + '.stopped', '');
    process.exit();
  });
  console.error(' * Running on http://127.0.0.1');`;

/** Starts SAM CLI, and exits at a line on stdin. */
const program = `
  import('./lib/local/sam/sam-cli.ts').then(async ({ startSamCli, waitUntilListening }) => {
    const cleanUp = () => console.error('Cleaned up');
    await waitUntilListening(startSamCli([], cleanUp));
    process.stdin.once('data', () => process.exit(1));
  });`;

/** Runs the program with this script as `sam` in a folder on its PATH. */
function start(folder: string, script: string): Program {
  writeFileSync(join(folder, 'sam'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: folder };
  return startProgram(process.execPath, ['--eval', program], { env });
}

const testScripts = testOnPosix('it cannot start a script by its first line');

testScripts.each([
  ['a closed terminal', ({ child }: Program) => child.kill('SIGHUP'), 0, 'Cleaned up\n'],
  ['SIGTERM', ({ child }: Program) => child.kill('SIGTERM'), 0, 'Cleaned up\n'],
  ['an error of its own', ({ child }: Program) => child.stdin.write('\n'), 1, ''],
])('npm run sam stops SAM CLI at %s', async (_, end, code, stderr) => {
  const folder = temporaryFolder();
  const file = join(folder, 'sam.cjs');
  writeFileSync(file, sam);
  const node = process.execPath.replaceAll("'", `'\\''`);
  const started = start(folder, `exec '${node}' "$0.cjs"`);
  await started.line(/ \* Running on/);
  end(started);
  expect(await started.ended()).toEqual({
    code,
    stdout: '',
    stderr: ` * Running on http://127.0.0.1\n${stderr}`,
  });
  await eventually('the end of SAM CLI', () => existsSync(`${file}.stopped`));
});

testScripts('if SAM CLI does not start, its output and an error say so', async () => {
  const { ended } = start(temporaryFolder(), 'echo "No such option"; exit 2');
  expect(await ended()).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'No such option\nCleaned up\nerror: SAM CLI exited with code 2. See its output above.\n',
  });
});
