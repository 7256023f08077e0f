import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { shellBlocks } from '../../docs/page.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { jest } from '../../support/jest/arguments.ts';
import { startNpmStart } from '../../support/program.ts';
import { copyProject, root } from '../../support/project.ts';

const { PROOF, PROOF_ROWS, REPLAY, ALL_ENGINES, ...env } = process.env;

/** Makes a copy of the project in a repository of its own. */
function copy() {
  const cwd = join(temporaryFolder(), 'project');
  copyProject(cwd);
  const sh = (script: string) =>
    execFileSync('bash', ['-ec', script], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
  const commit = () => sh('git add --all && git -c user.name=x -c user.email=x commit -qm x');
  sh('git init -q');
  commit();
  return { cwd, sh, commit };
}
type Copy = ReturnType<typeof copy>;

const blocksOf = (cwd: string) =>
  shellBlocks(readFileSync(join(cwd, 'docs', 'make-it-yours.md'), 'utf8'));
/** Returns the blocks that leave a part out, each by the first thing that it removes. */
const parts = (cwd: string) =>
  new Map(
    blocksOf(cwd)
      .filter(([first = '']) => first.startsWith('git rm'))
      .map((lines) => [lines[0]?.split(' ')[3] ?? '', lines.join('\n')]),
  );

/** Renames the copy by the commands of the page. */
function rename({ cwd, sh, commit }: Copy, words: string): void {
  const block = blocksOf(cwd).find(([first]) => first?.includes('bin/rename.ts')) ?? [];
  sh(block.join('\n').replace(/(?<=rename\.ts ).*/, words));
  commit();
  const left = sh('git ls-files; git grep -iI plant').split('\n');
  expect(left.filter((line) => /plant/i.test(line) && !/^CHANGELOG/.test(line))).toEqual([]);
}

/** Runs what checks a change, then starts the service and creates what it keeps. */
async function check({ cwd }: Copy, ...more: string[][]): Promise<void> {
  for (const args of [
    ['node_modules/typescript/bin/tsc'],
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--colors=off'],
    // Two suites of this pattern see that the packages of a copy are links.
    [...jest, '--silent', '--testPathIgnorePatterns=/node_modules/|/offline/assembly\\.|/sbom\\.'],
    ...more,
  ]) {
    const options = { cwd, env, encoding: 'utf8', maxBuffer: 1e8 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    const output = status === 0 ? '' : stdout + stderr;
    expect({ args, status, output }).toEqual({ args, status: 0, output: '' });
  }
  const { baseUrl, headers, end } = await startNpmStart(['--memory'], { cwd });
  const { paths } = JSON.parse(readFileSync(join(cwd, 'docs', 'openapi.json'), 'utf8'));
  const [[path = '', { post }]] = Object.entries<CreatePath>(paths) as [[string, CreatePath]];
  const body = JSON.stringify(post.requestBody.content['application/json'].example);
  const url = baseUrl + path;
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201);
  await end();
}

/** The part of the document that has the example of a create. */
interface CreatePath {
  post: { requestBody: { content: { 'application/json': { example: object } } } };
}

const nouns = [
  'book books Dune,Emma,Ulysses,Walden,used',
  'person people Ada,Grace,Alan,Edsger,busy',
  "'garden tool' 'garden tools' Spade,Rake,Hoe,Axe,sharp",
];

test('renamed, and then without each part, the store passes its checks', async () => {
  const project = copy();
  rename(project, `${nouns[0]}`);
  for (const script of parts(project.cwd).values()) {
    project.sh(script);
    project.commit();
  }
  await check(project);
});

const programs = '--testMatch=<rootDir>/test/slow/programs/*.test.*';
test.each(nouns)('alone: renamed by %s, the store passes its checks', async (words) => {
  const project = copy();
  rename(project, words);
  await check(project, [...jest, '--silent', programs]);
});

test.each([...parts(root)])('alone: without %s, the store passes its checks', async (_, script) => {
  const project = copy();
  project.sh(script);
  await check(project);
});
