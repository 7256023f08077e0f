import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { publish } from './pages.ts';

const proof = JSON.parse(readPage('docs/proof.json'));
const speed = JSON.parse(readPage('docs/speed.json'));
const readme = readPage('README.md').replaceAll(/\s+/g, ' ');

test.each([
  ['proof', proof],
  ['speed', speed],
] as const)('docs/evidence.md has the figures of docs/%s.json, as a run writes both', (...page) => {
  const [name, data] = page;
  const docs = temporaryFolder();
  cpSync(join(root, 'docs'), docs, { recursive: true });
  const json = join(docs, `${name}.json`);
  const file = join(docs, 'evidence.md');
  const text = readFileSync(file, 'utf8');
  const other = text.replace(
    new RegExp(`<!-- ${name} -->.*?<!-- end -->`, 's'),
    `<!-- ${name} -->\n<!-- end -->`,
  );
  writeFileSync(file, other.replace(`${name} -->\n`, `${name} -->\nFigures of another run.\n`));
  publish(name, data, docs);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(other).not.toBe(text);
  expect(readFileSync(json, 'utf8')).toBe(readPage(`docs/${name}.json`));
});

test.each([
  ['create bodies', 'hostile create bodies'],
  ['histories of three owners', 'random histories'],
  ['`npm start` killed (SIGKILL) during writes', 'kills during writes'],
])('the README has the count of %s', (tried, words) => {
  const row = proof.rows.find((one: { tried: string }) => one.tried === tried);
  expect(readme).toMatch(`${row.count.toLocaleString('en').replace(',', ' ')} ${words}`);
});

test.each([['load and first call / raw', /takes (\S+) of the CPU time of a bare SDK command/]])(
  'the README has the figure of create: %s',
  (figure, words) => {
    const isOfCreate = ({ title }: { title: string }) => title === `create: ${figure}`;
    expect(words.exec(readme)?.[1]).toBe(speed.results.find(isOfCreate).median.toFixed(2));
  },
);

test('each row of the last proof names a suite that exists', () => {
  for (const { command } of proof.rows) {
    const [file = ''] = /test\/\S+/.exec(command) ?? [];
    const exists = [file, `${file}.test.ts`].some((path) => existsSync(join(root, path)));
    expect([command, exists]).toEqual([command, true]);
  }
});
