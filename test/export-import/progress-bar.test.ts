import { expect, test } from '@jest/globals';
import { progressBar } from '../../bin/plants/progress-bar.ts';

/** What a bar writes to a terminal, or to what is not one. */
function written(isTTY: boolean, plants: number, share?: number): string {
  let text = '';
  const terminal = { isTTY, write: (more: string) => (text += more) };
  const bar = progressBar('Importing', 'plants', terminal as never);
  bar.show(plants, share);
  bar.clear();
  return text;
}

test('a terminal shows how much is done, how fast, and how long the rest takes', () => {
  expect(written(true, 25_000, 0.25)).toMatch(
    /^\r.\[KImporting █{6}░{18} 25 % · 25,000 plants, [\d,]+ a second, \d+ s left\r.\[K$/,
  );
});

test('a terminal shows only a count if nobody knows how much there is to do', () => {
  expect(written(true, 1200)).toMatch(/^\r.\[KImporting 1,200 plants, [\d,]+ a second\r.\[K$/);
});

test('a file or a pipe gets no progress', () => {
  expect(written(false, 1200, 0.5)).toBe('');
});
