import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandError, git, run } from '../yours/git.ts';
import type { Choices } from '../yours/make.ts';

/** A commit of the original, and its files. */
export interface Version {
  commit: string;
  tree: string;
}

/** A repository of its own, so that the copy's stays as it is until there is something to merge. */
export interface Original {
  folder: string;
  /** From the newest to the oldest. */
  versions: Version[];
}

/** Gets a version of the original, and all that came before it. */
export function fetchOriginal(folder: string, source: string, ref: string): Original {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  // Files are compared as they were committed.
  git(folder, 'config', 'core.autocrlf', 'false');
  git(folder, 'config', 'core.longpaths', 'true');
  const from = existsSync(source) ? resolve(source) : source;
  // Without this option, git would fetch nothing from a shallow clone.
  git(folder, 'fetch', '-q', '--tags', '--update-shallow', from, ref);
  const versions = git(folder, 'log', '--format=%H %T', 'FETCH_HEAD')
    .split('\n')
    .map((line): Version => {
      const [commit = '', tree = ''] = line.split(' ');
      return { commit, tree };
    });
  return { folder, versions };
}

/**
 * Returns the version that a copy has: the one that package.json names, or else the newest that
 * occurs in the copy's history, or undefined.
 */
export function versionOf(
  copy: string,
  { versions }: Original,
  recorded: string | undefined,
): Version | undefined {
  const named = versions.find(({ tree }) => tree === recorded);
  if (named) {
    return named;
  }
  const known = new Map(versions.map((version) => [version.tree, version]));
  return git(copy, 'log', '--format=%T')
    .split('\n')
    .map((tree) => known.get(tree))
    .find((version) => version !== undefined);
}

/** Makes a copy's choices in a version of the original. Returns the tree that comes of it. */
export function choose(
  { folder }: Original,
  { commit }: Version,
  choices: Choices,
  packages: string,
): string {
  git(folder, 'checkout', '-q', '--force', '--detach', commit);
  git(folder, 'clean', '-qfdx');
  const program = join('bin', 'yours', 'apply.ts');
  if (!existsSync(join(folder, program))) {
    throw new CommandError(
      `The version ${commit} of the original is older than "npm run yours". Merge a later one ` +
        'with git yourself, then name that with --from.',
    );
  }
  run(folder, process.execPath, [program, JSON.stringify(choices), packages]);
  git(folder, 'add', '--all');
  return git(folder, 'write-tree');
}

/** Returns a file's text in a tree, or undefined if there is no such file. */
export function textIn({ folder }: Original, tree: string, file: string): string | undefined {
  if (git(folder, 'ls-tree', '--name-only', tree, '--', file) === '') {
    return undefined;
  }
  return run(folder, 'git', ['cat-file', 'blob', `${tree}:${file}`]);
}

/** What becomes of files in a tree: another text, or undefined if they go. */
export type Edits = Map<string, string | undefined>;

/** Returns a tree with these edits. */
export function edited({ folder }: Original, tree: string, edits: Edits): string {
  git(folder, 'read-tree', tree);
  for (const [file, text] of edits) {
    if (text === undefined) {
      git(folder, 'update-index', '--force-remove', '--', file);
    } else {
      writeFileSync(join(folder, file), text);
      const blob = git(folder, 'hash-object', '-w', '--no-filters', '--', file);
      git(folder, 'update-index', '--cacheinfo', `100644,${blob},${file}`);
    }
  }
  return git(folder, 'write-tree');
}

/** Returns a commit whose one parent has the first tree, and which has the second. */
export function commitOf({ folder }: Original, base: string, next: string): string {
  const author = ['-c', 'user.name=upgrade', '-c', 'user.email=upgrade@localhost'];
  const settings = [...author, '-c', 'commit.gpgSign=false'];
  const commit = (tree: string, ...more: string[]): string =>
    git(folder, ...settings, 'commit-tree', tree, '-m', 'upgrade', ...more);
  return commit(next, '-p', commit(base));
}
