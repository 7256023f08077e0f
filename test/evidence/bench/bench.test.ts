import { expect, test } from '@jest/globals';
import { type Figures, ratio } from './ratio.ts';
import { type Scale, scaleFault } from './scale-fault.ts';
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
  const start = ratio(measured([]), ['create-plant', 'raw create-plant'], 'start');
  expect(start).toEqual({ median: 0.5, from: 0.5, to: 0.5 });
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

const list = { others: 1000, own: 1000, page: 1000, units: 9, ms: 20 };
const flat: Scale = {
  lists: [list, { ...list, others: 100_000 }, { ...list, page: 100, units: 1, ms: 2 }],
  memory: { plants: 100_000, growthMb: 0.1 },
};
const growing = { ...flat, memory: { plants: 100_000, growthMb: 6 } };
const listing = (more: Partial<typeof list>) => ({ ...flat, lists: [list, { ...list, ...more }] });
const others = /plants of other owners/;
const slowPage = listing({ page: 100, units: 1, ms: 0.9 });
test.each<[string, Scale, RegExp | undefined]>([
  ['a store that scales', flat, undefined],
  ['a list that takes more read units in a larger store', listing({ units: 10 }), others],
  ['a list that takes longer in a larger store', listing({ ms: 41 }), others],
  ['a list that takes longer for each plant of a larger page', slowPage, /faster than its page/],
  ['paging that keeps its pages', growing, /more and more memory/],
])('%s is recognized', (_, scale, fault) => {
  if (fault) expect(scaleFault(scale)).toMatch(fault);
  else expect(scaleFault(scale)).toBeUndefined();
});
