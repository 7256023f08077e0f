import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { readPage } from './page.ts';

// If you add words, take others away.

/** Returns how many words a page has, as `wc -w` counts them. */
const wordsOf = (page: string) => readPage(page).trim().split(/\s+/).length;

test('the README has at most 900 words', () => {
  expect(wordsOf('README.md')).toBeLessThanOrEqual(900);
});

test('the pictures of the README are there, and have at most 60 KB each', () => {
  const pictures = readPage('README.md').matchAll(/docs\/[\w-]+\.(?:svg|webp)/g);
  const names = [...pictures].map(([name]) => name);
  expect(names).toContain('docs/reference-dark.webp');
  const large = names.filter((name) => statSync(join(root, name)).size > 60_000);
  expect(large).toEqual([]);
});

test('the README and the pages in docs have at most 13 000 words together', () => {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const pages = ['README.md', ...docs.map((name) => `docs/${name}`)];
  const words = Object.fromEntries(pages.map((page) => [page, wordsOf(page)]));
  const sum = Object.values(words).reduce((total, count) => total + count, 0);
  expect({ words, isShort: sum <= 13_000 }).toEqual({ words, isShort: true });
});
