import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { format } from './checks.ts';
import { filesOf } from './git.ts';
import { leaveOut } from './leave-out.ts';
import { faultsOf, type Names } from './names.ts';
import { onlyOfTheOriginal, partsNamed, unknownParts } from './parts.ts';
import { renamed, renamedPath } from './rename.ts';
import { readText } from './text-files.ts';

/** What a copy has chosen. package.json keeps it, so that an upgrade can make the same choices. */
export interface Choices {
  /** Undefined if the copy keeps the names of the original. */
  names?: Names | undefined;
  /** The names of the parts that it leaves out. */
  without: string[];
}

/** Returns what is wrong with choices for the project in a folder, as sentences. */
export function refusalsOf(folder: string, { names: given, without }: Choices): string[] {
  const unknown = unknownParts(without);
  const faults = unknown.length > 0 ? [`There is no part ${unknown.join(', ')}. See --help.`] : [];
  if (!given) {
    return faults;
  }
  faults.push(...faultsOf(given));
  return faults.length > 0 ? faults : meetingFiles(folder, given);
}

/** Returns what is wrong with the new paths of files. */
function meetingFiles(folder: string, given: Names): string[] {
  const files = filesOf(folder);
  const moves = files.map((from) => ({ from, to: renamedPath(from, given) }));
  // Some file systems do not tell capital letters from small ones.
  const keyOf = (path: string): string => path.toLowerCase();
  const targets = Map.groupBy(moves, ({ to }) => keyOf(to));
  const outside = moves.filter(({ to }) => !resolve(folder, to).startsWith(resolve(folder) + sep));
  const meeting = [...targets.values()].filter((group) => group.length > 1).map(([one]) => one?.to);
  const existing = moves.filter(
    ({ from, to }) =>
      keyOf(from) !== keyOf(to) &&
      lstatSync(join(folder, to), { throwIfNoEntry: false }) !== undefined,
  );
  const through = moves.filter(({ to }) =>
    parentsOf(to).some((parent) => targets.has(keyOf(parent))),
  );
  const say = (paths: (string | undefined)[], what: string): string[] =>
    paths.length > 0 ? [`${what}: ${paths.slice(0, 5).join(', ')}. Choose other names.`] : [];
  const pathsOf = (list: { to: string }[]): string[] => list.map(({ to }) => to);
  return [
    ...say(pathsOf(outside), 'These files would lie outside of the repository'),
    ...say(meeting, 'Two files would have the same name'),
    ...say(pathsOf(existing), 'These files exist already'),
    ...say(pathsOf(through), 'These files would lie in a folder that is a file'),
  ];
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

/** What was done. */
export interface Made {
  changed: number;
  removed: number;
  parts: string[];
}

/**
 * Makes the project in a folder what was chosen: leaves parts out, renames, and formats. `packages`
 * is the folder node_modules that has the formatter.
 */
export function make(folder: string, choices: Choices, packages: string): Made {
  const left = partsNamed(choices.without);
  const before = filesOf(folder);
  leaveOut(folder, [onlyOfTheOriginal, ...left]);
  const rest = before.filter(
    (file) => lstatSync(join(folder, file), { throwIfNoEntry: false }) !== undefined,
  );
  const changed = choices.names ? renameFiles(folder, rest, choices.names) : 0;
  removeEmptyFolders(folder, before);
  format(folder, packages);
  return { changed, removed: before.length - rest.length, parts: left.map(({ name }) => name) };
}

/** Removes the folders in which nothing is left of the files that they had. */
function removeEmptyFolders(folder: string, files: string[]): void {
  const parents = new Set(files.flatMap(parentsOf));
  // The deepest come first.
  for (const parent of [...parents].sort().reverse()) {
    const path = join(folder, parent);
    const isThere = lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
    if (isThere && readdirSync(path).length === 0) {
      rmdirSync(path);
    }
  }
}

/** Returns how many of the files changed. */
function renameFiles(folder: string, files: string[], given: Names): number {
  let changed = 0;
  for (const file of files) {
    if (renameFile(folder, file, given)) {
      changed += 1;
    }
  }
  return changed;
}

/** The texts that are not ours to rename: the licence, and what was done to the original. */
const kept = ['LICENSE', 'CHANGELOG.md'];

/** Renames a file and what it says. Returns whether anything changed. */
function renameFile(folder: string, file: string, given: Names): boolean {
  if (kept.includes(file)) {
    return false;
  }
  const target = renamedPath(file, given);
  const text = readText(folder, file);
  const { mode } = lstatSync(join(folder, file));
  if (target !== file) {
    mkdirSync(dirname(join(folder, target)), { recursive: true });
    renameSync(join(folder, file), join(folder, target));
  }
  if (text === undefined) {
    return target !== file;
  }
  const other = renamed(file, text, given);
  if (other === text) {
    return target !== file;
  }
  writeFileSync(join(folder, target), other);
  chmodSync(join(folder, target), mode);
  return true;
}
