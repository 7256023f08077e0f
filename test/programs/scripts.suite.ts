import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { linkPackages, root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { startProgram } from '../support/program.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const help = { script: 'contract', args: '--help' };

/** How other scripts are started, their exit code, and a line of their output. */
const runs: { script: string; args: string; code: number; line: RegExp }[] = [
  { script: 'test:slow', args: '--listTests programs/plants', code: 0, line: /plants\.slow\.ts$/ },
  { script: 'bench', args: '--colour', code: 1, line: /Unknown option '--colour'/ },
  { script: 'types', args: '--version', code: 0, line: /^Version 7\./ },
];

test('every script of package.json is started', () => {
  // `npm test` is running. test/docs starts `npm run token` by the commands of the README. Tests of
  // npm start and npm run sam start them as package.json does, and those below the others.
  const others = ['test', 'token', 'start', 'sam', 'plants', 'lint'];
  const started = [...[help, ...runs].map(({ script }) => script), ...others];
  expect(started.sort()).toEqual(Object.keys(scripts).sort());
});

// npm puts the programs of packages on the PATH.
const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
const programs = join(root, 'node_modules', '.bin');
const env = { ...process.env, [path]: `${programs}${delimiter}${process.env[path]}` };

test('the help of npm run contract', async () => {
  const started = startProgram(`${scripts.contract} --help`, [], { shell: true, env });
  expect(await started.ended()).toMatchSnapshot();
});

// Only Linux has a file that is always full.
(existsSync('/dev/full') ? test : test.skip)(
  'npm run plants, whose output is on a full disk, exits with 1 and one line',
  async () => {
    const command = `${scripts.plants} --help > /dev/full`;
    expect(await startProgram(command, [], { shell: true, env }).ended()).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: Cannot write the output: ENOSPC: no space left on device, write. ' +
        'Redirect it elsewhere.\n',
    });
  },
);

test.each(runs)('npm run $script -- $args exits with $code', async ({ script, ...run }) => {
  const started = startProgram(`${scripts[script]} ${run.args}`, [], { shell: true, env });
  const { code } = await started.ended();
  expect(started.lines).toContainEqual(expect.stringMatching(run.line));
  expect(code).toBe(run.code);
});

/** Writes a checkout with the settings of Jest and Biome, and one test. */
function writeCheckout(folder: string, code: string): void {
  for (const path of [
    '.gitignore',
    'biome.json',
    'package.json',
    'bin/node24.mjs',
    'test/support',
  ]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  mkdirSync(join(folder, 'functions'));
  mkdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'test', 'one.test.ts'), code);
}

test('lint and npm test take this checkout only, wherever it lies and whatever lies in it', async () => {
  const folder = join(temporaryFolder(), 'test', 'slow', 'cdk.out', '[one]');
  writeCheckout(folder, 'export {};\n');
  linkPackages(folder);
  for (const other of ['.claude/worktrees/one', '.stryker-tmp/sandbox-1', 'branches/two']) {
    writeCheckout(join(folder, other), 'debugger;\n');
  }
  const run = (command: string) =>
    startProgram(command, [], { shell: true, env, cwd: folder }).ended();
  const { stdout } = await run(`${scripts.test} --listTests --maxWorkers 1`);
  expect(stdout).toBe(`${join(folder, 'test', 'one.test.ts')}\n`);
  expect(await run(scripts.lint)).toMatchObject({ code: 0 });
});
