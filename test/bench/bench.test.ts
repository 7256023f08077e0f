import { expect, test } from '@jest/globals';
import { type Figures, ratio } from './rounds.ts';
import { again, resultsOf, scatterOf, targets } from './targets.ts';

const each = (start: number): Figures => ({ start, first: start, warm: start, rss: start });
const baseline = [100, 110, 90, 100, 105];
const measured = (factors: number[]) =>
  new Map<string, Figures[]>([
    ['raw create-plant', baseline.map(each)],
    ['warm raw create-plant', baseline.map(each)],
    [again, baseline.map((figure, i) => each(figure * (factors[i] ?? 1)))],
    [`warm ${again}`, baseline.map(each)],
    ['create-plant', baseline.map((figure) => each(figure / 2))],
  ]);

test('a ratio pairs the measurements of a round', () => {
  expect(ratio(measured([]), ['create-plant', 'raw create-plant'], 'start')).toEqual({
    median: 0.5,
    from: 0.5,
    to: 0.5,
  });
});

test.each([
  ['a baseline that repeats itself', [1, 1.02, 0.98, 1, 1], undefined],
  ['a baseline that is slower the second time', [1.1, 1.1, 1.1, 1.1, 1.1], /factor of 1\.10/],
  ['a baseline that scatters', [0.7, 1, 1.3, 1.3, 0.7], /0\.70 to 1\.30/],
])('%s decides whether figures can be published', (_, factors, reason) => {
  const scatter = scatterOf(measured(factors));
  if (reason) expect(scatter).toMatch(reason);
  else expect(scatter).toBeUndefined();
});

test('figures of too few rounds cannot be published', () => {
  const few = new Map([...measured([])].map(([name, figures]) => [name, figures.slice(0, 4)]));
  expect(scatterOf(few)).toMatch(/in 4 rounds/);
});

test('a target is left out if its tasks were not measured', () => {
  const results = resultsOf(measured([]));
  expect(results.map(({ title }) => title)).toEqual([
    'create: load and first call / raw',
    'create: first call / raw',
  ]);
  expect(targets.length).toBeGreaterThan(results.length);
});
