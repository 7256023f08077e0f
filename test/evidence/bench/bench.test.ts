import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { root } from '../../support/project.ts';
import { jsonRows } from '../json-rows.ts';
import { type Figures, ratio } from './ratio.ts';
import { page, type Speed } from './report/page.ts';
import { plot } from './report/plot.ts';
import { publish, readmeItem } from './report/publish.ts';
import { type Scale, scaleFault } from './scale-fault.ts';
import { again, ours, resultsOf, scatterOf, targets } from './targets.ts';

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

const half = { median: 0.5, from: 0.4, to: 0.6 };
const list = { others: 1000, own: 1000, page: 1000, units: 9, ms: 20 };
const flat: Scale = {
  lists: [list, { ...list, others: 100_000 }, { ...list, page: 100, units: 1, ms: 2 }],
  memory: { plants: 100_000, growthMb: 0.1 },
};
const speed: Speed = {
  machine: 'a machine',
  date: '2026-01-01',
  rounds: 9,
  results: [
    { title: 'fast enough', ...half, atMost: 0.5 },
    { title: 'too slow', ...half, atMost: 0.4 },
  ],
  bars: [
    { name: ours, start: half, first: half },
    { name: 'others', start: { ...half, median: 2 }, first: half },
  ],
  scale: flat,
};

test('the page has every result beside its target, and the plot a bar for each candidate', () => {
  const text = page(speed);
  expect(text).toContain('| fast enough | 0.50 | 0.40 to 0.60 | ≤ 0.50 |');
  expect(text).toContain('| too slow | 0.50 | 0.40 to 0.60 | ≤ 0.40, missed |');
  expect(text).toContain('| 100000 | 1000 | 1000 | 9 | 20.0 |');
  expect(plot(speed.bars).match(/<path class="(?:ours|other)"/g)).toHaveLength(4);
});

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

const published = (file: string, folder = root) => readFileSync(join(folder, file), 'utf8');

test('what is published has the figures of docs/speed.json', () => {
  const speed: Speed = JSON.parse(published('docs/speed.json'));
  expect(published('docs/speed.json')).toBe(jsonRows(speed));
  expect(published('docs/speed.md')).toBe(page(speed));
  expect(published('docs/speed.svg')).toBe(plot(speed.bars));
  expect(published('README.md')).toContain(readmeItem(speed.results));
});

test('publishing writes all of these, and changes nothing else in the README', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'docs'));
  const [before, after] = ['# Plants\n\n## Proof\n\n', '* an item\n  in two lines\n'];
  writeFileSync(join(folder, 'README.md'), before + after);
  const results = ["CDK's default build of raw", 'express'].map((other) => ({
    title: `create: load and first call / ${other}`,
    ...half,
    atMost: 1,
  }));
  const newer = { ...speed, results: results.map((result) => ({ ...result, median: 0.123 })) };
  publish(folder, { ...speed, results });
  const first = published('README.md', folder);
  publish(folder, newer);
  const files = ['docs/speed.json', 'docs/speed.md', 'docs/speed.svg', 'README.md'];
  const [json = '', text, plotted, second] = files.map((file) => published(file, folder));
  expect(JSON.parse(json)).toEqual(newer);
  expect(text).toBe(page(newer));
  expect(plotted).toBe(plot(speed.bars));
  expect(first).toBe(before + readmeItem(results) + after);
  expect(second).toBe(before + readmeItem(newer.results) + after);
  expect(second).toContain('0.12 of\n  that with express');
});
