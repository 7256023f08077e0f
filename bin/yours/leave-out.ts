import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesOf } from './git.ts';
import { onlyOfTheOriginal, type Part, parts } from './parts.ts';
import { readText } from './text-files.ts';

const mark = /(?:\/\/|#|<!--) (?:part: (?<part>[\w-]+)|(?<end>end of part))(?: -->)?$/;

/** A line of a file, and the part that it belongs to. */
export interface MarkedLine {
  line: string;
  part: string | undefined;
  /** Whether it only begins or ends a part. */
  isMark: boolean;
}

/** Returns the lines of a text, each with the part that it belongs to. */
export function markedLines(text: string): MarkedLine[] {
  let open: string | undefined;
  return text.split('\n').map((line): MarkedLine => {
    const found = mark.exec(line);
    if (!found) {
      return { line, part: open, isMark: false };
    }
    const before = line.slice(0, found.index).trimEnd();
    const part = found.groups?.part;
    if (before !== '') {
      return { line: before, part, isMark: false };
    }
    const marked: MarkedLine = { line, part: part ?? open, isMark: true };
    open = part;
    return marked;
  });
}

/** Deletes parts, and every line and link that belongs to them or leads to them. */
export function leaveOut(folder: string, left: readonly Part[]): void {
  removeFiles(folder, left);
  editPackage(folder, left);
  for (const file of filesOf(folder)) {
    const text = readText(folder, file);
    if (text === undefined) {
      continue;
    }
    const edited = textWithout(folder, file, text, left);
    if (edited !== text) {
      writeFileSync(join(folder, file), edited);
    }
  }
}

function removeFiles(folder: string, left: readonly Part[]): void {
  for (const { files, instead = {} } of left) {
    for (const file of filesOf(folder, ...files)) {
      rmSync(join(folder, file), { force: true });
    }
    for (const [file, other] of Object.entries(instead)) {
      renameSync(join(folder, other), join(folder, file));
    }
  }
}

/** Returns a file's text without what is about parts, whose files are gone by now. */
function textWithout(folder: string, file: string, text: string, left: readonly Part[]): string {
  const rest = withoutMarked(text, left);
  const settings = left.flatMap((part) => part.settings ?? []);
  if (file === '.ci/run') {
    return withoutSteps(folder, rest);
  }
  if (file.endsWith('.json')) {
    return withoutSettings(rest, settings);
  }
  if (file.endsWith('.md')) {
    const page = withoutDeadLinks(folder, file, withoutSettings(rest, settings));
    // What is gone leaves empty lines behind.
    return page.replaceAll(/\n{3,}/g, '\n\n');
  }
  return rest;
}

function withoutMarked(text: string, left: readonly Part[]): string {
  const names = new Set(left.map(({ name }) => name));
  return markedLines(text)
    .filter(({ part, isMark }) => !isMark && !(part && names.has(part)))
    .map(({ line }) => line)
    .join('\n');
}

/** Deletes the lines of settings in JSON, and in tables of pages. */
function withoutSettings(text: string, settings: string[]): string {
  let rest = text;
  for (const name of settings) {
    const line = new RegExp(`^ *(?:"(?:[\\w-]+:)?${name}":|\\| \`${name}\` \\|).*\\n`, 'gm');
    rest = rest.replaceAll(line, '');
  }
  return rest;
}

/** Deletes the steps that run a file that is gone. */
const withoutSteps = (folder: string, text: string): string =>
  text.replaceAll(/^\w.*? (\.ci\/[\w/-]+).*\n/gm, (step, file) =>
    existsSync(join(folder, file)) ? step : '',
  );

/** Leaves only the texts of links to files that are gone. */
function withoutDeadLinks(folder: string, page: string, text: string): string {
  const link = /(?<image>!?)\[(?<label>[^\]]+)\]\((?<target>[^):#\s]+)(?:#[\w-]+)?\)/g;
  return text.replaceAll(link, (whole, ...found) => {
    const { image, label, target } = found.at(-1);
    if (existsSync(join(folder, dirname(page), target))) {
      return whole;
    }
    return image ? '' : label;
  });
}

function editPackage(folder: string, left: readonly Part[]): void {
  const path = join(folder, 'package.json');
  const content = JSON.parse(readFileSync(path, 'utf8'));
  for (const { scripts = [], packages = [] } of left) {
    for (const script of scripts) {
      delete content.scripts[script];
    }
    for (const name of packages) {
      delete content.dependencies[name];
      delete content.devDependencies[name];
    }
  }
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** Returns the marks that no part has, each as its file and its name. */
export function unknownMarks(folder: string): string[] {
  const known = [onlyOfTheOriginal, ...parts].map(({ name }) => name);
  return filesOf(folder).flatMap((file) =>
    markedLines(readText(folder, file) ?? '')
      .filter(({ part }) => part && !known.includes(part))
      .map(({ part }) => `${file}: ${part}`),
  );
}
