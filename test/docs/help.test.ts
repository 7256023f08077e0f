import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { allScopes } from '../../functions/shared/operations.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';
import { readPage } from './page.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const run = promisify(execFile);

async function helpOf(file: string, ...command: string[]): Promise<string> {
  const args = [join(root, file), ...command, '--help'];
  const { stdout } = await run(process.execPath, args, { timeout: 30_000 });
  return stdout;
}

interface Help {
  /** What somebody types for it, without `--help`. */
  typed: string;
  text: string;
}

/** Returns the help of a program, or that of each of its commands. */
async function helpsOf(typed: string, file: string): Promise<Help[]> {
  const text = await helpOf(file);
  const commands = [...text.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name = '']) => name);
  if (commands.length === 0) {
    return [{ typed, text }];
  }
  return Promise.all(
    commands.map(async (name) => ({ typed: `${typed} ${name}`, text: await helpOf(file, name) })),
  );
}

interface Program {
  script: string;
  file: string;
  name: string;
  helps: Help[];
}
const starting = /^node bin\/node24\.mjs (?:--\S+ )?(?<file>\S+\.ts)$/;
const programs: Program[] = await Promise.all(
  Object.entries<string>(scripts).flatMap(([script, command]) => {
    const file = starting.exec(command)?.groups?.file;
    if (file === undefined) {
      return [];
    }
    const name = `npm run ${script}`;
    return [helpsOf(name, file).then((helps) => ({ script, file, name, helps }))];
  }),
);

describe.each(programs.flatMap(({ helps }) => helps))('the help of $typed', ({ text }) => {
  const lines = text.trimEnd().split('\n');

  test('fits a screen', () => {
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter(({ length }) => length > 100)).toEqual([]);
  });

  test('has an example', () => {
    expect(text).toMatch(/\n\nExample:\n {2}npm (start|run) /);
  });
});

interface Option {
  option: string;
  /** A value that it takes, or undefined if it takes none. */
  value: string | undefined;
}

/** Returns the options of a help. An option's text goes on in the lines that are indented more. */
function optionsIn(help: Help): Option[] {
  const entries = help.text.matchAll(/^ {2}(--[\w-]+)(?: <(\w+)(?:\.{3})?>)?.*(?:\n {8,}.*)*/gm);
  return [...entries].map(([text, option = '', placeholder]) => {
    if (placeholder === undefined) {
      return { option, value: undefined };
    }
    const [, choice = 'x'] = /choices:\s+"([^"]+)"/.exec(text) ?? [];
    return { option, value: choice.replace(/\s+/g, ' ') };
  });
}

const withOptions = programs
  .map((program) => ({ ...program, options: program.helps.flatMap(optionsIn) }))
  .filter(({ options }) => options.length > 0);

const testNpm = testOnPosix('npm is a script there, which nothing can start without a shell');

/** What npm hands to a script that it runs. */
interface Handed {
  env: Record<string, string>;
  args: string[];
}

/** Runs a real npm, which takes the arguments that it knows or abbreviates. */
function handedByNpm(args: string[]): Handed {
  const folder = temporaryFolder();
  const print = 'console.log(JSON.stringify({ env: process.env, args: process.argv.slice(2) }))';
  writeFileSync(join(folder, 'print.js'), print);
  const script = `"${process.execPath.replace(/[$`]/g, '\\$&')}" print.js`;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { print: script } }));
  const npm = ['run', '-s', 'print', ...args];
  return JSON.parse(execFileSync('npm', npm, { cwd: folder, encoding: 'utf8', timeout: 30_000 }));
}

/** Expects that each program, of which npm took all its options, names them and no others. */
function expectAllNamed({ env, args }: Handed): void {
  const found = withOptions.map(({ script, file, name, options }) => {
    const run = spawnSync(process.execPath, [join(root, file), ...args], {
      env: { ...env, npm_lifecycle_event: script },
      encoding: 'utf8',
      timeout: 30_000,
    });
    const [, told = ''] = /^error: npm took (.*) for its own\. .*\n$/m.exec(run.stderr) ?? [];
    const named = new Set(told.split(', '));
    const names = new Set(options.map(({ option }) => option));
    return {
      name,
      status: run.status,
      missing: [...names].filter((option) => !named.has(option)),
      unknown: [...named].filter((option) => !names.has(option)),
    };
  });
  expect(found).toEqual(
    withOptions.map(({ name }) => ({ name, status: 1, missing: [], unknown: [] })),
  );
}

const allOptions = withOptions.flatMap(({ options }) => options);

testNpm('every program names every option that npm took, with " " before values', () => {
  const args = allOptions.flatMap(({ option, value }) =>
    value === undefined ? [option] : [option, value],
  );
  expectAllNamed(handedByNpm(args));
});

testNpm('every program names every option that npm took, with "=" before values', () => {
  const args = allOptions.map(({ option, value }) =>
    value === undefined ? option : `${option}=${value}`,
  );
  expectAllNamed(handedByNpm(args));
});

test.each(allScopes)('docs/access-tokens.md tells what %s allows', (scope) => {
  expect(readPage('docs/access-tokens.md').includes(`--scope ${scope}\``)).toBe(true);
});
