import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import packageJson from '../../package.json' with { type: 'json' };
import { copyProduct, linkPackages, root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type Ended, startProgram } from '../support/program.ts';
import { runHere } from '../support/programs/run.ts';

const { scripts } = packageJson;

const run = (command: string, cwd = root): Promise<Ended> =>
  startProgram(command, [], { shell: true, cwd }).ended();

test('npm run bench rejects an unknown option', async () => {
  const { code, stderr } = await run(`${scripts.bench} --colour`);
  expect(stderr).toMatch(/Unknown option '--colour'/);
  expect(code).toBe(1);
});

test('the help of npm run contract', async () => {
  // The program runs when it is imported.
  const help = await runHere(async () => {
    await import(`../../${scripts.contract.replace(/^.* /, '')}`);
    const { exitCode = 0 } = process;
    process.exitCode = undefined;
    return Number(exitCode);
  }, '--help');
  expect(help).toMatchSnapshot();
});

// In a copy, because other test files read the document at the same time.
test('npm run openapi writes docs/openapi.json', async () => {
  const folder = temporaryFolder();
  copyProduct(folder);
  const document = join(folder, 'docs', 'openapi.json');
  writeFileSync(document, '');
  const stdout = 'Wrote docs/openapi.json.\n';
  expect(await run(scripts.openapi, folder)).toEqual({ code: 0, stdout, stderr: '' });
  expect(readFileSync(document, 'utf8')).toBe(
    readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'),
  );
});

// Only Linux has a file that is always full.
(existsSync('/dev/full') ? test : test.skip)(
  'npm run plants, whose output is on a full disk, exits with 1 and one line',
  async () => {
    expect(await run(`${scripts.plants} --help > /dev/full`)).toMatchSnapshot();
  },
);

/** Writes a checkout with the settings of Jest, and one test. */
function writeCheckout(folder: string): void {
  for (const path of [
    'package.json',
    'test/support/jest',
    'test/support/clock',
    'bin/node24.mjs',
  ]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  mkdirSync(join(folder, 'functions'));
  mkdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'test', 'one.test.ts'), '');
}

test('npm test takes this checkout only, wherever it lies and whatever lies in it', async () => {
  const folder = join(temporaryFolder(), 'test', 'slow', 'cdk.out', '[one]');
  writeCheckout(folder);
  linkPackages(folder);
  for (const other of ['.claude/worktrees/one', '.stryker-tmp/sandbox-1', 'branches/two']) {
    writeCheckout(join(folder, other));
  }
  const { stdout } = await run(`${scripts.test} --listTests --maxWorkers 1`, folder);
  expect(stdout).toBe(`${join(folder, 'test', 'one.test.ts')}\n`);
});

test('each suite has a name of its own, and a test of its folder or one above imports it', () => {
  const imported = globSync('test/**/*.test.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const suites = text.matchAll(/^import '(.+\.suite\.ts)';$/gm);
    return [...suites].map(([, suite = '']) => join(dirname(file), suite));
  });
  const suites = globSync('test/**/*.suite.ts', { cwd: root });
  expect(imported.sort()).toEqual(suites.toSorted());
  const names = suites.map((suite) => basename(suite));
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
