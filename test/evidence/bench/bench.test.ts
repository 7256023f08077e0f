import { expect, test } from '@jest/globals';
import type { Figures } from './ratio.ts';
import { again, resultsOf, scatterOf } from './targets.ts';

const each = (start: number): Figures => ({ start, first: start, warm: start, rss: start });
const baseline = [100, 110, 90, 100, 105];
const measured = (factors: number[]) => {
  const warm = baseline.map(each);
  return new Map<string, Figures[]>([
    ['raw create-plant', baseline.map(each)],
    ['warm raw create-plant', warm],
    [again, factors.map((factor, i) => each(factor * Number(baseline[i])))],
    [`warm ${again}`, warm],
    ['create-plant', baseline.map((figure) => each(figure / 2))],
  ]);
};

test('a ratio pairs the measurements of a round, and has its target if both were made', () => {
  const half = { median: 0.5, from: 0.5, to: 0.5 };
  expect(resultsOf(measured([]))).toEqual([
    { title: 'create: load and first call / raw', ...half, atMost: 0.88 },
    { title: 'create: first call / raw', ...half, atMost: 0.3 },
  ]);
});

test.each([
  ['repeats itself', [1, 1.02, 0.98, 1, 1], /^undefined$/],
  ['is slower the second time', [1.1, 1.1, 1.1, 1.1, 1.1], /factor of 1\.10/],
  ['scatters', [0.7, 1, 1.3, 1.3, 0.7], /0\.70 to 1\.30/],
  ['has too few rounds', [1, 1, 1, 1], /in 4 rounds/],
])('a baseline that %s decides whether figures can be published', (_, factors, reason) => {
  expect(`${scatterOf(measured(factors))}`).toMatch(reason);
});
