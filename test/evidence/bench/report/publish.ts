import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonRows } from '../../json-rows.ts';
import type { Result } from '../targets.ts';
import { page, type Speed } from './page.ts';
import { plot } from './plot.ts';

/** Writes docs/speed.json, and from it the page, the plot and the README's figures. */
export function publish(root: string, speed: Speed): void {
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  write('docs/speed.json', jsonRows(speed));
  write('docs/speed.md', page(speed));
  write('docs/speed.svg', plot(speed.bars));
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const old = /^\* \[docs\/speed\.md\].*\n(?: {2}.*\n)*/m;
  const heading = '## Proof\n\n';
  if (!readme.includes(heading)) throw new Error('The README has no section "Proof".');
  const item = readmeItem(speed.results);
  write('README.md', readme.replace(old, '').replace(heading, heading + item));
}

/** Returns the README's item about speed. */
export function readmeItem(results: Result[]): string {
  const figure = (title: string) =>
    results.find((result) => result.title === `create: ${title}`)?.median.toFixed(2);
  const cdk = figure("load and first call / CDK's default build of raw");
  const express = figure('load and first call / express');
  const first = figure('first call / raw');
  return `\
* [docs/speed.md](docs/speed.md) compares the functions with others. Loading one and creating a
  first plant takes ${cdk} of the CPU time that it takes with CDK's default build, and ${express} of
  that with express. The first call alone takes ${first} of that of a bare SDK command.
`;
}
