import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPackage, writePackage } from '../../../bin/yours/origin.ts';
import { parts } from '../../../bin/yours/parts.ts';
import { copyProject } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { jest } from '../../support/jest/arguments.ts';
import { startNpmStart } from '../../support/program.ts';

const { PROOF, PROOF_ROWS, REPLAY, ALL_ENGINES, ...env } = process.env;

/** A copy of the project in a repository of its own, without the history of the project's. */
interface Copy {
  folder: string;
  /** Runs a command. Returns its exit code and what it prints. */
  run: (command: string, ...args: string[]) => { status: number | null; output: string };
  commit: (message: string) => void;
}

function copyOf(name: string): Copy {
  const folder = join(temporaryFolder(), name);
  copyProject(folder);
  const run: Copy['run'] = (command, ...args) => {
    const options = { cwd: folder, env, encoding: 'utf8', maxBuffer: 1e8 } as const;
    const { status, stdout, stderr } = spawnSync(command, args, options);
    return { status, output: stdout + stderr };
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'somebody');
  git('config', 'user.email', 'somebody@example.com');
  const commit = (message: string) => {
    git('add', '--all');
    git('commit', '-qm', message);
  };
  commit('The project');
  return { folder, run, commit };
}

const npmRun = ({ run }: Copy, script: string, ...args: string[]) =>
  run('npm', 'run', '-s', script, '--', ...args);

interface Nouns {
  name: string;
  plural: string;
  examples: string;
  tag: string;
}
// Beside other work, a whole copy may take longer than the limit of other tests.
const timeout = 20 * 60_000;

const nouns: Nouns[] = [
  {
    name: 'invoice item',
    plural: 'invoice items',
    examples: 'Chair,Red Lamp,Desk,Shelf',
    tag: 'unpaid',
  },
  { name: 'book', plural: 'books', examples: 'Dune,Emma,Ulysses,Walden', tag: 'used' },
  { name: 'person', plural: 'people', examples: 'Ada,Grace,Alan,Edsger', tag: 'busy' },
];

/** Makes a copy somebody's, and sees that the old names are gone. */
function makeYours(copy: Copy, { name, plural, examples, tag }: Nouns, without: string): void {
  const names = ['--name', name, '--plural', plural, '--examples', examples, '--tag', tag];
  const made = npmRun(copy, 'yours', ...names, '--without', without);
  expect(made).toEqual({ status: 0, output: expect.stringContaining('one commit') });
  expect(copy.run('git', 'status', '--porcelain').output).toBe('');
  const { output } = copy.run('bash', '-c', 'git ls-files; git grep -iI plant');
  const left = output.split('\n').filter((line) => /plant(?!ed)/i.test(line));
  expect(left.filter((line) => !line.startsWith('CHANGELOG'))).toEqual([]);
}

/** Runs `npm test`, then starts the service and creates what it keeps. */
async function check(copy: Copy, ...more: string[][]): Promise<void> {
  for (const args of [
    // Two suites of this pattern see that the packages of a copy are links.
    [...jest, '--silent', '--testPathIgnorePatterns=/(node_modules|offline/assembly)|/sbom\\.'],
    ...more,
  ]) {
    const { status, output } = copy.run(process.execPath, ...args);
    expect({ args, status, output: status === 0 ? '' : output }).toEqual({
      args,
      status: 0,
      output: '',
    });
  }
  await create(copy);
}

async function create({ folder }: Copy): Promise<void> {
  const { baseUrl, headers, end } = await startNpmStart(['--memory'], { cwd: folder });
  const { paths } = JSON.parse(readFileSync(join(folder, 'docs', 'openapi.json'), 'utf8'));
  const body = '{"id": 1, "name": "The first"}';
  const url = baseUrl + Object.keys(paths)[0];
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201);
  await end();
}

/** Changes a text of a file that occurs in it. */
function edit({ folder }: Copy, file: string, before: string, after: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(before);
  writeFileSync(
    path,
    text.replace(before, () => after),
  );
}
const append = ({ folder }: Copy, file: string, text: string) =>
  appendFileSync(join(folder, file), text);

/** What a copy edits, in rooms of all kinds: a comment at the end of each file. */
const ownEdits = [
  'functions/log.ts',
  'functions/http/body.ts',
  'lib/bundle.ts',
  'lib/constructs/tables.ts',
  'lib/offline/emulator.ts',
  'bin/token.ts',
  'test/http/cors.test.ts',
  'test/support/eventually.ts',
];

test(
  'renamed, thinned and edited, a copy is upgraded twice and passes its checks',
  async () => {
    const original = copyOf('original');
    const copy = copyOf('copy');
    makeYours(copy, nouns[0] as Nouns, 'all');
    for (const file of ownEdits) {
      append(copy, file, '\n// An edit of mine.\n');
    }
    append(copy, 'docs/operations.md', '\nA line of mine.\n');
    append(copy, 'README.md', '\nA line of mine.\n');
    const ours = readPackage(copy.folder);
    writePackage(copy.folder, { ...ours, scripts: { ...(ours.scripts as object), mine: 'true' } });
    copy.commit('Ours');

    const firstLine = '/** Where the original begins. */';
    for (const file of ['functions/log.ts', 'lib/constructs/tables.ts', 'bin/token.ts']) {
      edit(
        original,
        file,
        readFileSync(join(original.folder, file), 'utf8'),
        `${firstLine}\n${readFileSync(join(original.folder, file), 'utf8')}`,
      );
    }
    renameSync(
      join(original.folder, 'test/http/cors.test.ts'),
      join(original.folder, 'test/http/origins.test.ts'),
    );
    rmSync(join(original.folder, 'test/http/linear-time.test.ts'));
    writeFileSync(
      join(original.folder, 'functions/shared/added.ts'),
      "/** A plant of the original's. */\nexport const plantAdded = 'a plant is here';\n",
    );
    append(original, 'lib/constructs/budget.ts', '\n// A change to a part.\n');
    edit(original, 'package.json', '"commander": "14.0.3"', '"commander": "14.0.2"');
    original.run('npm', 'install', '--package-lock-only', '--omit-lockfile-registry-resolved');
    original.commit('Newer');

    const first = npmRun(copy, 'upgrade', original.folder);
    expect(first).toEqual({ status: 0, output: expect.stringContaining('one commit') });
    const textOf = (file: string) => readFileSync(join(copy.folder, file), 'utf8');
    expect(textOf('functions/log.ts')).toMatch(
      /^\/\*\* Where the original begins.*An edit of mine/s,
    );
    expect(textOf('test/http/origins.test.ts')).toContain('An edit of mine');
    expect(textOf('functions/shared/added.ts')).toContain("invoiceItemAdded = 'an invoice item is");
    expect(copy.run('git', 'ls-files').output).not.toMatch(/linear-time|budget|cors\.test/);
    expect(readPackage(copy.folder)).toMatchObject({
      scripts: { mine: 'true' },
      devDependencies: { commander: '14.0.2' },
    });

    append(original, 'functions/log.ts', '\n// A line at the end of the original.\n');
    edit(original, 'docs/operations.md', '# ', '# All about ');
    original.commit('Still newer');
    const installed = join(copy.folder, 'node_modules', 'installed-before');
    writeFileSync(installed, '');
    const second = npmRun(copy, 'upgrade', original.folder, 'main');
    expect(second).toEqual({
      status: 1,
      output: expect.stringContaining('conflict in functions/log.ts'),
    });
    expect(second.output.match(/^CONFLICT/gm)).toHaveLength(1);
    // The packages are the same, so they are not installed again.
    expect(existsSync(installed)).toBe(true);
    expect(npmRun(copy, 'upgrade', '--continue').output).toContain('Mend these first');
    copy.run('git', 'checkout', '-q', '--theirs', 'functions/log.ts');
    copy.run('git', 'add', 'functions/log.ts');
    const continued = npmRun(copy, 'upgrade', '--continue');
    expect(continued).toEqual({ status: 0, output: expect.stringContaining('one commit') });
    expect(copy.run('git', 'status', '--porcelain').output).toBe('');
    expect(npmRun(copy, 'upgrade', original.folder).output).toContain('the newest version already');
    await check(copy);
  },
  timeout,
);

const programs = '--testMatch=<rootDir>/test/slow/programs/*.test.*';
test.each(nouns)(
  'alone: named after $name, the store passes its checks',
  async (words) => {
    const copy = copyOf('copy');
    makeYours(copy, words, 'workflows');
    await check(copy, [...jest, '--silent', programs]);
  },
  timeout,
);

test.each(parts)(
  'alone: without $name, the store passes its checks',
  async ({ name }) => {
    const copy = copyOf('copy');
    expect(npmRun(copy, 'yours', '--without', name)).toMatchObject({ status: 0 });
    await check(copy);
  },
  timeout,
);
