import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { defaultDataFolder } from '../../bin/command-line/running.ts';
import { faultsOfChecks } from '../../bin/yours/checks.ts';
import { git as gitIn, unclean } from '../../bin/yours/git.ts';
import { moveLocalData } from '../../bin/yours/local-data.ts';
import { make, refusalsOf } from '../../bin/yours/make.ts';
import { readPackage, writePackage } from '../../bin/yours/origin.ts';
import { openDataFolder } from '../../lib/offline/database/data-folder.ts';
import { copyProject, root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';

const names = {
  name: 'invoice item',
  plural: 'invoice items',
  examples: ['Chair', 'Red Lamp', 'Desk', 'Shelf'],
  tag: 'unpaid',
};

const copy = join(temporaryFolder(), 'copy');
const somebody = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.com'];
const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, stdio: 'pipe' });
const run = (program: string, args: string[], variables = {}, folder = copy) => {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin', program), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...variables },
  });
  return { status, stderr };
};
const yours = (...args: string[]) => run('yours.ts', args);
const all = ['--name', 'book', '--plural', 'books', '--tag', 'used', '--examples', 'A,B,C,D'];

beforeAll(() => {
  copyProject(copy);
  git('init', '-q');
  git('config', 'user.name', 'somebody');
  git('config', 'user.email', 'somebody@example.com');
  git('add', '--all');
  git('commit', '-qm', 'The project');
});

test.each([
  { args: [], says: 'Say what your store keeps, or what to leave out' },
  { args: ['--name', 'book'], says: '--name, --plural, --examples and --tag go together' },
  { args: ['--without', 'budgets'], says: 'There is no part budgets' },
  { args: [...all, '--name', '../../evil'], says: '"../../evil" is not a name' },
  { args: [...all, '--name', 'X', '--plural', 'Xs'], says: '"Xs" is too short' },
  { args: [...all, '--name', 'item', '--plural', 'items'], says: 'functions/items/item.ts' },
])('npm run yours with $args is refused, and nothing changes', ({ args, says }) => {
  expect(yours(...args)).toEqual({ status: 1, stderr: expect.stringContaining(says) });
  expect(`${git('status', '--porcelain')}`).toBe('');
});

test('a file that git does not know yet stands in the way, and so does a second run', () => {
  const file = join(copy, 'new.txt');
  writeFileSync(file, '');
  expect(yours(...all)).toEqual({ status: 1, stderr: expect.stringContaining('new.txt') });
  git('clean', '-qf');
  writePackage(copy, { ...readPackage(copy), yours: { without: [] } });
  git('commit', '-qam', 'Made mine');
  expect(yours(...all)).toEqual({ status: 1, stderr: expect.stringContaining('yours already') });
  git('reset', '-q', '--hard', 'HEAD~1');
});

const testPosix = testOnPosix('the search for programs does not go by PATH alone');

testPosix.each([
  { title: 'git is missing', variables: { PATH: '' }, says: 'The program git was not found.' },
  {
    title: 'git distrusts the owner of the folder',
    variables: {
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TEST_ASSUME_DIFFERENT_OWNER: '1',
    },
    says: 'safe.directory',
  },
])('npm run yours and upgrade say that $title', ({ variables, says }) => {
  const refused = { status: 1, stderr: expect.stringMatching(/^error: /) };
  const named = { status: 1, stderr: expect.stringContaining(says) };
  for (const made of [
    run('yours.ts', all, variables),
    run('upgrade.ts', [copy], variables),
    run('upgrade.ts', ['--continue'], variables),
  ]) {
    expect(made).toEqual(refused);
    expect(made).toEqual(named);
  }
});

test('a folder that a surrounding repository ignores is refused', () => {
  const folder = temporaryFolder();
  const store = join(folder, 'store');
  mkdirSync(store);
  writePackage(store, {});
  writeFileSync(join(folder, '.gitignore'), 'store');
  gitIn(folder, 'init', '-q');
  gitIn(folder, 'add', '--all');
  gitIn(folder, ...somebody, 'commit', '-qm', 'Around');
  expect(unclean(store)).toContain('This is no git repository with a commit of these files.');
});

test('npm run yours is refused while npm start runs, and not after a killed one', async () => {
  const data = join(copy, defaultDataFolder);
  const folder = await openDataFolder(data);
  expect(yours(...all).stderr).toContain('"npm start" runs here. End it first.');
  await folder.close();
  // A container that was killed could not withdraw this.
  const killed = { processId: 1, processes: 'of a container', baseUrl: '', dynamodbEndpoint: '' };
  writeFileSync(join(data, 'running.json'), JSON.stringify(killed));
  // Names are judged after that.
  const { stderr } = yours(...all, '--name', 'item', '--plural', 'items');
  rmSync(data, { recursive: true });
  expect(stderr).toContain('functions/items/item.ts');
});

test('a failure that is not of types or lint is told as it is, and nothing changes', () => {
  const tools = join(copy, 'node_modules', '@biomejs');
  renameSync(tools, `${tools}.away`);
  const { status, stderr } = yours(...all);
  renameSync(`${tools}.away`, tools);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error: .* is missing\. Run "npm ci" first\.\n/);
  expect(stderr).not.toContain('Types or lint');
  expect(`${git('status', '--porcelain')}`).toBe('');
});

test.each([
  { args: [], says: 'error: Name the repository that this was copied from.\n' },
  { args: ['.', '--from', 'v9'], says: 'error: The original has no commit or tag "v9".\n' },
  { args: ['--continue'], says: 'error: There is no upgrade to go on with.\n' },
])('npm run upgrade with $args is refused, and nothing changes', ({ args, says }) => {
  expect(run('upgrade.ts', args)).toEqual({ status: 1, stderr: says });
  expect(`${git('status', '--porcelain')}`).toBe('');
});

/** Clones the copy as an original that has a later version. */
function laterOriginal(...options: string[]): string {
  const original = join(temporaryFolder(), 'original');
  git('clone', '-q', pathToFileURL(copy).href, original);
  writeFileSync(join(original, 'SECURITY.md'), 'Later\n');
  gitIn(original, ...somebody, 'commit', '-qam', 'Later');
  const clone = join(temporaryFolder(), 'clone');
  git('clone', '-q', ...options, pathToFileURL(original).href, clone);
  return clone;
}

test('a shallow original that lacks the version of the copy is refused', () => {
  const { status, stderr } = run('upgrade.ts', [laterOriginal('--depth', '1')]);
  expect(status).toBe(1);
  expect(stderr).toContain('run "git fetch --unshallow" in it first');
  expect(`${git('status', '--porcelain')}`).toBe('');
});

test('an upgrade whose packages cannot be installed restores the files and says so', () => {
  const npm = join(temporaryFolder(), 'npm.mjs');
  writeFileSync(
    npm,
    `import { appendFileSync } from 'node:fs';
    if (process.argv[2] === 'ci') {
      console.error('no space left');
      process.exit(1);
    }
    appendFileSync('package-lock.json', ' ');`,
  );
  const made = run('upgrade.ts', [laterOriginal()], { npm_execpath: npm });
  expect(made).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^error: no space left\n.* Run "npm ci" to get .* back\.\n$/s),
  });
  expect(`${git('status', '--porcelain')}`).toBe('');
});

test('an upgrade that is refused leaves no temporary files', () => {
  const folder = temporaryFolder();
  const variables = { TMPDIR: folder, TEMP: folder, TMP: folder };
  expect(run('upgrade.ts', ['.', '--from', 'v9'], variables).status).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('an upgrade in a folder of a larger repository stays in that folder', () => {
  const original = laterOriginal();
  const outer = temporaryFolder();
  const store = join(outer, 'store');
  copyProject(store);
  writeFileSync(join(outer, 'SECURITY.md'), readFileSync(join(store, 'SECURITY.md')));
  writeFileSync(join(store, 'SECURITY.md'), 'Mine\n');
  gitIn(outer, 'init', '-q');
  gitIn(outer, 'config', 'user.name', 'somebody');
  gitIn(outer, 'config', 'user.email', 'somebody@example.com');
  gitIn(outer, 'add', '--all');
  gitIn(outer, 'commit', '-qm', 'The project and others');
  const upgrade = (...args: string[]) => run('upgrade.ts', args, {}, store).stderr;
  const version = gitIn(original, 'rev-parse', 'HEAD~1');
  expect(upgrade(original, '--from', version)).toContain('CONFLICT');
  expect(gitIn(outer, 'status', '--porcelain')).toMatch(/^UU store\/SECURITY\.md$/m);
  expect(gitIn(outer, 'status', '--porcelain')).not.toMatch(/^.. (?!store\/)/m);
  const mend = 'Mend these first, and "git add" them: SECURITY.md.';
  expect(upgrade('--continue')).toContain(mend);
  gitIn(store, 'add', 'SECURITY.md');
  expect(upgrade('--continue')).toContain(mend);
});

test('the data of npm start is moved to where the renamed npm start opens it', async () => {
  const folder = temporaryFolder();
  const data = await openDataFolder(join(folder, defaultDataFolder));
  await data.close();
  moveLocalData(folder, names);
  expect(readdirSync(folder)).toEqual(['.invoice-item-store']);
  const moved = readdirSync(join(folder, '.invoice-item-store'));
  expect(moved).toEqual(expect.arrayContaining(['dynalite', 'invoice-item-store']));
});

// If this is red, a copy that leaves parts out breaks: mark the line, or list the file, in
// bin/yours/parts.ts. If a noun is spelled wrong, see bin/yours/rename.ts.
test('a copy with other names and without any part has green types and lint', () => {
  const choices = { names, without: ['all'] };
  expect(refusalsOf(copy, choices)).toEqual([]);
  make(copy, choices, join(root, 'node_modules'));
  expect(faultsOfChecks(copy)).toEqual([]);
  const folders = ['bin', 'docs', 'functions', 'lib', 'test'].flatMap((name) =>
    readdirSync(join(copy, name), { recursive: true, withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map((one) => join(one.parentPath, one.name)),
  );
  expect(folders.filter((one) => readdirSync(one).length === 0)).toEqual([]);

  const pages = readdirSync(join(copy, 'docs')).map((name) => join(copy, 'docs', name));
  const withGaps = pages.filter((page) => /\n{3}/.test(readFileSync(page, 'utf8')));
  expect(withGaps).toEqual([]);
});
