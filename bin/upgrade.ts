import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { example } from './command-line/example.ts';
import { messageOf } from './command-line/lifecycle.ts';
import { refuseOptionsAsValues, refuseOptionsOfNpm } from './command-line/refused-arguments.ts';
import { type Change, merge, prepare, unmerged, withMarks } from './upgrade/merge.ts';
import {
  choose,
  fetchOriginal,
  type Original,
  type Version,
  versionOf,
} from './upgrade/versions.ts';
import { faultsOfChecks, format, npm, writeGenerated } from './yours/checks.ts';
import { CommandError, changeOrRestore, git, heedSignals, unclean } from './yours/git.ts';
import { choicesOf, type Package, readPackage } from './yours/origin.ts';

interface Options {
  from?: string;
  continue?: true;
}

interface PreparedChange extends Change {
  original: Original;
}

const root = join(import.meta.dirname, '..');

const program: Command = new Command('npm run upgrade --')
  .description(
    'Brings a newer version of the original into this copy, as one commit. If both have edited ' +
      'the same lines, it stops and says so.',
  )
  .argument('[source]', 'the address or the folder of the repository that this was copied from')
  .argument('[ref]', 'its branch, tag or commit', 'HEAD')
  .option('--from <version>', 'the commit or tag of it that this copy has, if that is unknown')
  .option('--continue', 'go on after you have mended what both sides edited')
  .addHelpText('after', example('npm run upgrade -- https://example.com/store.git main'));
refuseOptionsAsValues([program]);
refuseOptionsOfNpm(program);
program.parse();

const [source, ref = 'HEAD'] = program.args;
const options: Options = program.opts();

function refuse(message: string): never {
  program.error(`error: ${message}`);
}

try {
  if (options.continue) {
    finish();
  } else {
    await upgrade();
  }
} catch (error) {
  if (!(error instanceof CommandError)) {
    throw error;
  }
  refuse(error.message);
}

async function upgrade(): Promise<void> {
  if (!source) {
    refuse('Name the repository that this was copied from.');
  }
  const dirty = unclean(root);
  if (dirty) {
    refuse(dirty);
  }
  const work = mkdtempSync(join(tmpdir(), 'upgrade-'));
  // A refusal exits, too.
  process.once('exit', () => rmSync(work, { recursive: true, force: true }));
  const change = changeFrom(source, work);
  if (!change) {
    console.log('This copy has the newest version already.');
    return;
  }
  const said = await changeOrRestore(root, () => mergeAndInstall(change));
  if (said !== undefined) {
    console.error(
      `${said}\nMend these and "git add" them, then run "npm run upgrade -- --continue". ` +
        'To undo all of it, run "git reset --hard" and "npm ci".',
    );
    process.exitCode = 1;
    return;
  }
  // What follows is done by the newer version.
  const args = [join(root, 'bin', 'upgrade.ts'), '--continue'];
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/** Returns what is new, or undefined if nothing is. The copy stays as it is. */
function changeFrom(from: string, work: string): PreparedChange | undefined {
  const recorded = readPackage(root).yours ?? {};
  const original = fetchOriginal(join(work, 'original'), from, ref);
  const [newest] = original.versions;
  const current = currentVersion(original, recorded.tree);
  if (!newest || newest.tree === current.tree) {
    return undefined;
  }
  console.log(`From ${current.commit.slice(0, 10)} to ${newest.commit.slice(0, 10)}`);
  const chosenIn = (version: Version): string =>
    choose(original, version, choicesOf(recorded), join(root, 'node_modules'));
  const trees = { base: chosenIn(current), next: chosenIn(newest), recorded: newest.tree };
  return { original, ...prepare(root, original, trees, join(work, 'lock')) };
}

function currentVersion(original: Original, recorded: string | undefined): Version {
  if (options.from) {
    return namedVersion(original, options.from);
  }
  return (
    versionOf(root, original, recorded) ??
    refuse(
      'No version of the original is in the history of this copy. If one of them is a shallow ' +
        'clone, run "git fetch --unshallow" in it first. Otherwise name the version that the ' +
        'copy began from: npm run upgrade -- SOURCE REF --from COMMIT',
    )
  );
}

function namedVersion({ folder }: Original, name: string): Version {
  try {
    const commit = git(folder, 'rev-parse', '-q', '--verify', `${name}^{commit}`);
    return { commit, tree: git(folder, 'rev-parse', `${commit}^{tree}`) };
  } catch (error) {
    if (!(error instanceof CommandError)) {
      throw error;
    }
    refuse(`The original has no commit or tag "${name}".`);
  }
}

/** Merges what is new, and installs its packages. Returns what both sides edited, or undefined. */
async function mergeAndInstall(change: PreparedChange): Promise<string | undefined> {
  const said = merge(root, change.original, change);
  await heedSignals();
  // It takes longer than everything else, so only for other packages.
  if (git(root, 'diff', '--cached', '--name-only', '--', 'package-lock.json') !== '') {
    install();
    await heedSignals();
  }
  for (const { member, ours, theirs } of change.conflicts) {
    const mine = JSON.stringify(ours);
    const other = JSON.stringify(theirs);
    console.error(`package.json: both edited ${member}. ${mine} stays, not ${other}.`);
  }
  return said;
}

/** Installs the packages. If that fails, some of the earlier ones may be gone. */
function install(): void {
  try {
    npm(root, 'ci', '--no-audit', '--no-fund');
  } catch (error) {
    throw new CommandError(
      `${messageOf(error)}\nThe packages could not be installed. The files are as they were ` +
        'before. Run "npm ci" to get their packages back.',
    );
  }
}

/** Writes anew what follows from the code, checks it, and commits the upgrade. */
function finish(): void {
  const committed: Package = JSON.parse(git(root, 'show', 'HEAD:./package.json'));
  const { tree } = readPackage(root).yours ?? {};
  if (!tree || tree === committed.yours?.tree) {
    refuse('There is no upgrade to go on with.');
  }
  const open = unmerged(root);
  const left = open.length > 0 ? open : withMarks(root);
  if (left.length > 0) {
    refuse(`Mend these first, and "git add" them: ${left.join(', ')}.`);
  }

  format(root, join(root, 'node_modules'));
  for (const failed of writeGenerated(root)) {
    console.error(`warning: ${failed}`);
  }
  const red = faultsOfChecks(root);
  if (red.length > 0) {
    refuse(
      `${red.join('\n')}\nThe upgrade is merged, but types or lint are red. Mend that, then run ` +
        '"npm run upgrade -- --continue". To undo all of it, run "git reset --hard" and "npm ci".',
    );
  }
  git(root, 'add', '--all');
  git(root, 'commit', '-q', '-m', `Upgrade to ${tree.slice(0, 10)} of the original`);
  console.log('Types and lint are green, and the upgrade is one commit. Now run "npm test".');
}
