import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../docs/page.ts';
import { root } from '../support/project.ts';
import { jsonRows } from './json-rows.ts';
import { mutationOf, type Proof, page, publish, spaced } from './proof/page.ts';

const docs = join(root, 'docs');
const proof: Proof = JSON.parse(readPage('docs/proof.json'));

test('docs/proof.json is as a run writes it', () => {
  expect(readPage('docs/proof.json')).toBe(jsonRows(proof));
});

test('docs/proof.md holds the figures of docs/proof.json and docs/mutation.json', () => {
  expect(readPage('docs/proof.md')).toBe(page(proof, mutationOf(docs)));
});

test.each([
  ['create bodies', 'hostile create bodies'],
  ['histories of three owners', 'random histories'],
  ['`npm start` killed (SIGKILL) during writes', 'kills during writes'],
])('the README has the count of %s', (tried, words) => {
  const { count = Number.NaN } = proof.rows.find((row) => row.tried === tried) ?? {};
  expect(readPage('README.md').replaceAll(/\s+/g, ' ')).toMatch(`${spaced(count)} ${words}`);
});

test('a run becomes a page with a row for each thing tried, and its plots', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const lines = [
    { name: 'p99', points: [[0, 1] as [number, number], [60, 12.5] as [number, number]] },
  ];
  const powers = [
    { name: 'all', points: [[2, 0] as [number, number], [100, 50] as [number, number]] },
  ];
  publish(folder, {
    date: '2026-11-22',
    machine: '2 cores of a machine',
    node: 'v24.0.0',
    minutes: 30,
    rows: [
      {
        topic: 'Load',
        tried: '200 connections',
        count: 123_456,
        unit: 'requests',
        outcome: 'None failed.',
        command: 'npm run proof -- test/evidence/proof/measured',
        seconds: 60,
        plot: { name: 'load', title: 'Latency', x: 'seconds', y: 'ms', lines },
      },
      {
        topic: 'Crashes',
        tried: 'kills',
        count: 1,
        unit: 'kill',
        outcome: 'Nothing was lost.',
        command: 'npm run proof -- test/evidence/proof/program',
        seconds: 60,
        plot: { name: 'kill', title: 'Kills', x: 'ms', y: '%', isLogarithmic: true, lines: powers },
      },
    ],
  });
  const written = readFileSync(join(folder, 'proof.md'), 'utf8');
  const svg = readFileSync(join(folder, 'proof-load.svg'), 'utf8');
  const logarithmic = readFileSync(join(folder, 'proof-kill.svg'), 'utf8');
  const names = readdirSync(folder).sort();
  rmSync(folder, { recursive: true });
  expect(names).toEqual(['proof-kill.svg', 'proof-load.svg', 'proof.json', 'proof.md']);
  expect(written).toContain(
    '## Load\n\n' +
      '| what was tried | how often | what came of it | repeat it |\n' +
      '| --- | --- | --- | --- |\n' +
      '| 200 connections | 123 456 requests | None failed. ' +
      '| `npm run proof -- test/evidence/proof/measured` |\n' +
      '\n![Latency](proof-load.svg)\n',
  );
  expect(written).not.toContain('## Faults');
  expect(svg).toContain('>12.5</text>');
  expect(written).toContain('\n![Kills](proof-kill.svg)\n');
  // 1, 10 and 100 are at equal distances.
  const ticks = [...logarithmic.matchAll(/x="([\d.]+)" y="270" text-anchor="middle">(\d+)</g)];
  expect(ticks.map(([, at, tick]) => [Number(at), tick])).toEqual([
    [64, '1'],
    [317, '10'],
    [570, '100'],
  ]);
  expect(logarithmic).toContain('points="\n140.2,252.0\n570.0,40.0"');
  const tooLong = [...written.split('\n'), ...svg.split('\n')].filter(
    (line) => line.length > 100 && !line.startsWith('|'),
  );
  expect(tooLong).toEqual([]);
});
