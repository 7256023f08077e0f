import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/project.ts';

const programs = readdirSync(join(root, 'bin'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, source: readFileSync(join(root, 'bin', file), 'utf8') }))
  .filter(({ source }) => source.includes("from 'commander'"));

const helps = programs.flatMap(({ file, source }) => {
  const commands = [...source.matchAll(/\.command\('(\w+)'\)/g)].map(([, name]) => [file, name]);
  return commands.length > 0 ? commands : [[file]];
});

test.each(helps.map((help) => [help.join(' '), help]))(
  'the help of %s fits a screen and has an example',
  (_, [file, ...command]) => {
    const args = [join(root, 'bin', `${file}`), ...command.map(String), '--help'];
    const help = execFileSync(process.execPath, args, { encoding: 'utf8' });
    const lines = help.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(help).toMatch(/\n\nExample:\n {2}npm (start|run) /);
  },
);
