import { readFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { copyProject, root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { startProgram } from '../support/program.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const ownRuns = [
  { script: 'sam', args: '--help' },
  { script: 'plants', args: 'export - --owner alice' },
  { script: 'contract', args: '--help' },
];

/** How each script of a package is started, its exit code, and a line of its output. */
const runs: { script: string; args: string; code: number; line: RegExp }[] = [
  { script: 'test:slow', args: '--listTests programs/plants', code: 0, line: /plants\.slow\.ts$/ },
  { script: 'start', args: '--help', code: 0, line: /^Usage: npm start -- \[options\]$/ },
  { script: 'bench', args: '--colour', code: 1, line: /Unknown option '--colour'/ },
  { script: 'types', args: '--version', code: 0, line: /^Version 7\./ },
  { script: 'lint', args: '--help', code: 0, line: /^Usage: biome(\.exe)? check / },
];

test('every script of package.json is started', () => {
  // `npm test` is running, and test/docs starts `npm run token` by the commands of the README.
  const others = ['test', 'token'];
  const started = [...[...ownRuns, ...runs].map(({ script }) => script), ...others];
  expect(started.sort()).toEqual(Object.keys(scripts).sort());
});

// npm puts the programs of packages on the PATH.
const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
const programs = join(root, 'node_modules', '.bin');
const env = { ...process.env, [path]: `${programs}${delimiter}${process.env[path]}` };

test.each(ownRuns)('npm run $script -- $args prints its whole output', async ({ script, args }) => {
  const started = startProgram(`${scripts[script]} ${args}`, [], { shell: true, env });
  expect(await started.ended()).toMatchSnapshot();
});

test.each(runs)('npm run $script -- $args exits with $code', async ({ script, ...run }) => {
  const started = startProgram(`${scripts[script]} ${run.args}`, [], { shell: true, env });
  const { code } = await started.ended();
  expect(started.lines).toContainEqual(expect.stringMatching(run.line));
  expect(code).toBe(run.code);
});

/** Runs a script of package.json in a folder, as npm does. */
const runScript = (script: string, args: string, cwd: string) =>
  startProgram(`${scripts[script]} ${args}`, [], { shell: true, env, cwd }).ended();

test('lint and npm test take this checkout only, wherever it lies and whatever lies in it', async () => {
  const folder = join(temporaryFolder(), 'test', 'slow', 'cdk.out', '[one]');
  copyProject(folder);
  for (const other of ['.claude/worktrees/one', '.stryker-tmp/sandbox-1', 'branches/two']) {
    copyProject(join(folder, other));
  }
  async function listTests(cwd: string): Promise<string[]> {
    const { stdout } = await runScript('test', '--listTests', cwd);
    const paths = stdout.trim().split('\n');
    return paths.map((path) => relative(cwd, path)).sort();
  }
  const tests = await listTests(root);
  expect(tests).toContain(join('test', 'plants', 'plants.test.ts'));
  expect(await listTests(folder)).toEqual(tests);
  expect(await runScript('lint', '', folder)).toMatchObject({ code: 0 });
});
