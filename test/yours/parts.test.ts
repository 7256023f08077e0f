import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { filesOf } from '../../bin/yours/git.ts';
import { markedLines, unknownMarks } from '../../bin/yours/leave-out.ts';
import { readPackage } from '../../bin/yours/origin.ts';
import { onlyOfTheOriginal, parts, partsNamed } from '../../bin/yours/parts.ts';
import { readText } from '../../bin/yours/text-files.ts';
import { tableOf } from '../docs/page.ts';
import { root } from '../support/checkout.ts';

// What a change of yours breaks in a copy that leaves a part out is named here. The part's list is
// in bin/yours/parts.ts.

const all = filesOf(root).filter((file) => existsSync(join(root, file)));
const {
  scripts = {},
  dependencies = {},
  devDependencies = {},
} = readPackage(root) as Record<string, Record<string, string>>;

/** Returns what a file says if the marked lines of parts are left out. */
const textWithout = (file: string, names: Set<string>) =>
  markedLines(readText(root, file) ?? '')
    .filter(({ part }) => !(part && names.has(part)))
    .map(({ line }) => line)
    .join('\n');

describe.each(parts.map((part) => ({ ...part, part })))('without $name', ({ part }) => {
  const left = [onlyOfTheOriginal, ...partsNamed([part.name])];
  const names = new Set(left.map(({ name }) => name));
  const removed = new Set(left.flatMap(({ files }) => filesOf(root, ...files)));
  const rest = all.filter((file) => !removed.has(file));

  test('every file of its list is there', () => {
    const missing = part.files.filter((file) => filesOf(root, file).length === 0);
    expect({ list: 'bin/yours/parts.ts', missing }).toEqual({
      list: 'bin/yours/parts.ts',
      missing: [],
    });
  });

  test('its scripts and packages are those of package.json', () => {
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(part.scripts ?? []));
    expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual(
      expect.arrayContaining(part.packages ?? []),
    );
  });

  test('no other file imports what is gone, unless in a marked line', () => {
    const broken = rest
      .filter((file) => /\.m?[jt]s$/.test(file))
      .flatMap((file) =>
        [...textWithout(file, names).matchAll(/(?:from|import)[ (]'(\.[^']+)'/g)]
          .map(([, to = '']) => relative(root, join(root, dirname(file), to)))
          .filter((to) => removed.has(to))
          .map((to) => `${file} imports ${to}`),
      );
    expect(broken).toEqual([]);
  });

  test('no other file names a program or a construct that is gone, unless in a marked line', () => {
    const gone = [...removed].filter((file) => /^(bin|lib)\//.test(file));
    const endings = gone.flatMap((file) => [
      `'${basename(file)}'`,
      `/${file.split('/').slice(-2).join('/')}'`,
    ]);
    const naming = rest
      .filter((file) => /\.m?[jt]s$/.test(file) && gone.length > 0 && !file.includes('yours'))
      .filter((file) => endings.some((ending) => textWithout(file, names).includes(ending)));
    expect(naming).toEqual([]);
  });

  test('no other file uses its packages', () => {
    const packages = left.flatMap((one) => one.packages ?? []);
    const users = rest
      .filter((file) => /\.m?[jt]s$/.test(file) && !file.startsWith('bin/yours/'))
      .filter((file) => {
        const text = textWithout(file, names);
        return packages.some((name) => text.includes(`'${name}'`) || text.includes(`'${name}/`));
      });
    expect(users).toEqual([]);
  });

  test('no script runs what is gone', () => {
    const own = new Set(left.flatMap((one) => one.scripts ?? []));
    const broken = Object.entries(scripts).filter(
      ([name, command]) => !own.has(name) && command.split(' ').some((word) => removed.has(word)),
    );
    expect(broken).toEqual([]);
  });
});

test('every file that no copy has is there', () => {
  const { files } = onlyOfTheOriginal;
  expect(files.filter((file) => filesOf(root, file).length === 0)).toEqual([]);
});

test('every mark in a file belongs to a part', () => {
  expect(unknownMarks(root)).toEqual([]);
});

test('every mark of a part has an end', () => {
  const open = all.filter((file) => {
    const lines = markedLines(readText(root, file) ?? '');
    return lines.at(-1)?.part !== undefined && lines.at(-1)?.isMark === false;
  });
  expect(open).toEqual([]);
});

/** Returns how many files these are, and how many lines those have that no program writes. */
function weightOf(files: string[]): { files: number; lines: number } {
  const written = files.filter((file) => !/\.(json|svg|txt)$|client-types\.ts$/.test(file));
  const lines = written.map((file) => readText(root, file)?.split('\n').length ?? 0);
  return { files: files.length, lines: lines.reduce((sum, one) => sum + one, 0) };
}

/** Figures may be off by a quarter, so that not every change of a file asks for another page. */
function expectNear(told: string, real: number): void {
  const isNear = Math.abs(Number(told) - real) <= 10 + real / 4;
  expect({ told, real, isNear }).toEqual({ told, real, isNear: true });
}

const page = 'docs/make-it-yours.md';

test('the page lists every part, and about what it weighs', () => {
  const rows = tableOf(page, 'part');
  expect(rows.map(([name]) => name)).toEqual(parts.map(({ name }) => `\`${name}\``));
  for (const [i, [, lines = '']] of rows.entries()) {
    expectNear(lines, weightOf(filesOf(root, ...(parts[i]?.files ?? []))).lines);
  }
});

test('the page has about what a copy without parts weighs, by room', () => {
  const gone = [onlyOfTheOriginal, ...parts].flatMap(({ files }) => filesOf(root, ...files));
  const rest = all.filter((file) => !gone.includes(file));
  const rooms = Map.groupBy(rest, (file) => {
    if (file.startsWith('lib/offline/')) {
      return '`lib/offline`';
    }
    return file.includes('/') ? `\`${file.split('/')[0]}\`` : 'beside them';
  });
  const rows = tableOf(page, 'room');
  expect(rows.map(([room]) => room).sort()).toEqual([...rooms.keys()].sort());
  for (const [room = '', files = '', lines = ''] of rows) {
    const weight = weightOf(rooms.get(room) ?? []);
    expectNear(files, weight.files);
    expectNear(lines, weight.lines);
  }
});
