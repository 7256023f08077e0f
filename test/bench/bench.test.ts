import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { publish } from './report.ts';
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

test('the page has every result beside its target, and the plot a bar for each candidate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const list = { others: 1000, own: 10, page: 10, units: 1, ms: 2 };
  const half = { median: 0.5, from: 0.4, to: 0.6 };
  publish(folder, {
    machine: 'a machine',
    date: '2026-01-01',
    rounds: 9,
    results: [
      { title: 'fast enough', ...half, atMost: 0.5 },
      { title: 'too slow', ...half, atMost: 0.4 },
    ],
    bars: [
      { name: 'ours', start: half, first: half },
      { name: 'others', start: { ...half, median: 2 }, first: half },
    ],
    scale: { stores: [list], pages: [list], memory: { plants: 10, atFirstMb: 1, atEndMb: 1 } },
  });
  const [json, page, plot] = ['speed.json', 'speed.md', 'speed.svg'].map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  );
  rmSync(folder, { recursive: true });
  expect(JSON.parse(json ?? '').results).toHaveLength(2);
  expect(page).toContain('| fast enough | 0.50 | 0.40 to 0.60 | ≤ 0.50 |');
  expect(page).toContain('| too slow | 0.50 | 0.40 to 0.60 | ≤ 0.40, missed |');
  expect(page).toContain('| 1000 | 10 | 10 | 1 | 2.0 |');
  expect(plot?.match(/<rect x=/g)).toHaveLength(4);
});
