import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { generated, lockPackages } from '../yours/checks.ts';
import { CommandError, filesOf, git } from '../yours/git.ts';
import { type Package, readPackage, writePackage } from '../yours/origin.ts';
import { readText } from '../yours/text-files.ts';
import { mergePackage, type PackageConflict } from './merge-package.ts';
import { commitOf, type Edits, edited, type Original, textIn } from './versions.ts';

/** What an upgrade brings, and what comes of it in a copy. */
export interface Change {
  /** A commit whose difference to its parent is what is new in the original. */
  commit: string;
  package: Package;
  /** A folder with a package-lock.json for that package. */
  lockFolder: string;
  conflicts: PackageConflict[];
}

const figures = /<!-- figures -->[\s\S]*?<!-- end -->/g;

/** Compares two trees of the original for a copy. Nothing in the copy changes. */
export function prepare(
  copy: string,
  original: Original,
  trees: { base: string; next: string; recorded: string },
  folder: string,
): Change {
  const { base, next, recorded } = trees;
  const conflicts: PackageConflict[] = [];
  const packageIn = (tree: string): Package =>
    JSON.parse(textIn(original, tree, 'package.json') ?? '{}');
  const ours = readPackage(copy);
  const merged = mergePackage(packageIn(base), ours, packageIn(next), conflicts);
  merged.yours = { ...ours.yours, tree: recorded };
  lock(copy, folder, merged);

  const commit = commitOf(
    original,
    edited(original, base, editsOf(copy, original, base, base)),
    edited(original, next, editsOf(copy, original, base, next)),
  );
  return { commit, package: merged, lockFolder: folder, conflicts };
}

function lock(copy: string, folder: string, merged: Package): void {
  mkdirSync(folder, { recursive: true });
  writePackage(folder, merged);
  for (const file of ['package-lock.json', '.npmrc']) {
    if (existsSync(join(copy, file))) {
      copyFileSync(join(copy, file), join(folder, file));
    }
  }
  lockPackages(folder);
}

/**
 * Returns what is edited in a tree, so that what the copy has generated itself is no change of the
 * original's.
 */
function editsOf(copy: string, original: Original, base: string, tree: string): Edits {
  const edits: Edits = new Map([
    ['package.json', undefined],
    ['package-lock.json', undefined],
  ]);
  for (const { file } of generated) {
    if (readText(copy, file) !== textIn(original, base, file)) {
      edits.set(file, undefined);
    }
  }
  for (const page of filesOf(copy, '*.md')) {
    const own = figuresIn(readText(copy, page) ?? '');
    if (own.length === 0) {
      continue;
    }
    const before = textIn(original, base, page);
    const text = textIn(original, tree, page);
    if (text === undefined || before === undefined) {
      continue;
    }
    if (JSON.stringify(figuresIn(before)) !== JSON.stringify(own)) {
      edits.set(page, withFigures(text, own));
    }
  }
  return edits;
}

const figuresIn = (page: string): string[] => page.match(figures) ?? [];

/** Puts other figures into a page, one after the other, as far as there are any. */
function withFigures(page: string, others: string[]): string {
  const rest = [...others];
  return page.replaceAll(figures, (found) => rest.shift() ?? found);
}

/** Merges a change into the copy. Returns what git says of the lines that both sides edited. */
export function merge(copy: string, original: Original, change: Change): string | undefined {
  const branch = 'refs/heads/upgrade';
  git(original.folder, 'update-ref', branch, change.commit);
  git(copy, 'fetch', '-q', '--no-tags', original.folder, branch);
  let said: string | undefined;
  try {
    // A file that is new in a folder that the copy moved, follows the folder.
    const settings = ['-c', 'merge.directoryRenames=true', '-c', 'commit.gpgSign=false'];
    // A copy may be a folder of a larger repository.
    const prefix = git(copy, 'rev-parse', '--show-prefix');
    const place = prefix === '' ? [] : ['-X', `subtree=${prefix}`];
    git(copy, ...settings, 'cherry-pick', '--no-commit', ...place, 'FETCH_HEAD');
  } catch (error) {
    if (!(error instanceof CommandError) || unmerged(copy).length === 0) {
      throw error;
    }
    said = error.message.split('\n').filter(isOfMerge).join('\n');
  }
  writePackage(copy, change.package);
  copyFileSync(join(change.lockFolder, 'package-lock.json'), join(copy, 'package-lock.json'));
  git(copy, 'add', '--', 'package.json', 'package-lock.json');
  return said;
}

const isOfMerge = (line: string): boolean => /^(CONFLICT|warning)/.test(line);

/** Returns the files that git could not merge. */
export function unmerged(copy: string): string[] {
  const lines = git(copy, 'ls-files', '--unmerged', '-z').split('\0');
  return [...new Set(lines.map((line) => line.split('\t')[1] ?? ''))].filter((file) => file !== '');
}

/** Returns the changed files that still hold git's marks of a conflict. */
export const withMarks = (copy: string): string[] =>
  git(copy, 'diff', 'HEAD', '--relative', '--name-only', '-z')
    .split('\0')
    .filter((file) => file !== '' && /^(<{7}|>{7}) /m.test(readText(copy, file) ?? ''));
