import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { startProgram } from '../support/program.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** How each script is started, its exit code, and a line of its output. */
const runs: { script: string; args: string; code: number; line: RegExp }[] = [
  { script: 'start', args: '--help', code: 0, line: /^Usage: npm start -- / },
  { script: 'sam', args: '--help', code: 0, line: /^Usage: npm run sam -- / },
  { script: 'plants', args: 'export - --owner alice', code: 1, line: /^error: .*--localhost/ },
  { script: 'contract', args: '', code: 1, line: /^error: .*--localhost/ },
  { script: 'test:slow', args: '--listTests programs/plants', code: 0, line: /plants\.test\.ts$/ },
  { script: 'bench', args: '--colour', code: 1, line: /Unknown option '--colour'/ },
  { script: 'types', args: '--version', code: 0, line: /^Version 7\./ },
  { script: 'lint', args: '--help', code: 0, line: /^Usage: biome check / },
];

test('every script of package.json is started', () => {
  // `npm test` is running, and test/docs starts `npm run token` by the commands of the README.
  const others = ['test', 'token'];
  const started = [...runs.map(({ script }) => script), ...others];
  expect(started.sort()).toEqual(Object.keys(scripts).sort());
});

// npm puts the programs of packages on the PATH.
const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
const programs = join(root, 'node_modules', '.bin');
const env = { ...process.env, [path]: `${programs}${delimiter}${process.env[path]}` };

test.each(runs)('npm run $script -- $args exits with $code', async ({ script, ...run }) => {
  const started = startProgram(`${scripts[script]} ${run.args}`, [], { shell: true, env });
  const { code } = await started.ended();
  expect(started.lines).toContainEqual(expect.stringMatching(run.line));
  expect(code).toBe(run.code);
});
