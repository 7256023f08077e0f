import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { root } from '../../support/project.ts';
import * as ofProof from './proof-page.ts';
import * as ofSpeed from './speed-page.ts';

const proof: ofProof.Proof = JSON.parse(readPage('docs/proof.json'));
const speed: ofSpeed.Speed = JSON.parse(readPage('docs/speed.json'));
const mutation = ofProof.mutationOf(join(root, 'docs'));

test.each([
  ['proof', (docs: string) => ofProof.publish(docs, proof), ofProof.figures(proof, mutation)],
  ['speed', (docs: string) => ofSpeed.publish(docs, speed), ofSpeed.figures(speed)],
])('docs/%s.md has the figures of the JSON beside it, which is as a run writes it', (...page) => {
  const [name, publish, figures] = page;
  const docs = temporaryFolder();
  cpSync(join(root, 'docs'), docs, { recursive: true });
  const file = join(docs, `${name}.md`);
  const text = readPage(`docs/${name}.md`);
  writeFileSync(file, text.replace(figures, 'Figures of another run.'));
  publish(docs);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(readFileSync(join(docs, `${name}.json`), 'utf8')).toBe(readPage(`docs/${name}.json`));
  expect(text).toContain(figures);
  expect(text.match(/^\| --- /gm)).toHaveLength(1);
  expect(text.split('\n').length).toBeLessThanOrEqual(61);
});

test.each([
  ['create bodies', 'hostile create bodies'],
  ['histories of three owners', 'random histories'],
  ['`npm start` killed (SIGKILL) during writes', 'kills during writes'],
])('the README has the count of %s', (tried, words) => {
  const { count = Number.NaN } = proof.rows.find((row) => row.tried === tried) ?? {};
  const readme = readPage('README.md').replaceAll(/\s+/g, ' ');
  expect(readme).toMatch(`${ofProof.spaced(count)} ${words}`);
});

test('the README has the figures of docs/speed.json', () => {
  const [, ...figures] =
    /takes (.{4}) of the CPU time that .* and (.{4}) of that with express\. .* takes (.{4}) of the /.exec(
      readPage('README.md').replaceAll(/\s+/g, ' '),
    ) ?? [];
  const titles = [
    "load and first call / CDK's default build of raw",
    'load and first call / express',
    'first call / raw',
  ];
  const medianOf = (title: string) =>
    speed.results.find((result) => result.title === `create: ${title}`)?.median.toFixed(2);
  expect(figures).toEqual(titles.map(medianOf));
});

test('a whole proof tries each row of the last one again', () => {
  for (const { command } of proof.rows) {
    const [file = ''] = /test\/\S+/.exec(command) ?? [];
    const exists = [file, `${file}.test.ts`].some((path) => existsSync(join(root, path)));
    const isTried = ofProof.tried.some((folder) => file.startsWith(folder));
    expect({ command, exists, isTried }).toEqual({ command, exists: true, isTried: true });
  }
});

test('the page of the proof has a row for each outcome, by topic', () => {
  const row = { count: 123_456, unit: 'calls', command: '', seconds: 1 };
  const page = ofProof.figures(
    {
      ...proof,
      rows: [
        { ...row, topic: 'Load', tried: 'a | b', outcome: '1 % failed.' },
        { ...row, topic: 'Faults', tried: 'c', outcome: 'None\nlost.' },
        { ...row, topic: 'Load', tried: 'd', outcome: '1 % failed.' },
      ],
    },
    undefined,
  );
  const [, , ...lines] = page.split('\n').filter((line) => line.startsWith('|'));
  expect(lines).toEqual([
    '| Faults | c: 123 456 calls | None lost. |',
    '| Load | a \\| b: 123 456 calls; d: 123 456 calls | 1 % failed. |',
  ]);
});

test('the table of speed has every result beside its target', () => {
  const half = { median: 0.5, from: 0.4, to: 0.6 };
  const table = ofSpeed.table([
    { title: 'fast enough', ...half, atMost: 0.5 },
    { title: 'too slow', ...half, atMost: 0.4 },
  ]);
  expect(table.split('\n').slice(2)).toEqual([
    '| fast enough | 0.50 | 0.40 to 0.60 | ≤ 0.50 |',
    '| too slow | 0.50 | 0.40 to 0.60 | ≤ 0.40, missed |',
  ]);
});

test('the page of speed has a row for each figure and target', () => {
  const result = (title: string, median: number, atMost = 0.5) => {
    return { title, median, from: 0, to: 1, atMost };
  };
  const results = [
    result('create: first call / raw', 0.4),
    result('list, 10 plants: first call / raw', 0.6),
    result('list, 1000 plants: first call / raw', 0.7, 0.8),
    result('npm start, in s', 0.2),
  ];
  const [, , ...rows] = ofSpeed
    .figures({ ...speed, results })
    .split('\n')
    .filter((line) => line.startsWith('|'));
  expect(rows).toEqual([
    '| first call / raw | ≤ 0.50 | create 0.40, list 0.60 (missed) |',
    '| first call / raw | ≤ 0.80 | list of 1000 plants 0.70 |',
    '| npm start, in s | ≤ 0.50 | 0.20 |',
  ]);
});
