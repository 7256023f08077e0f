import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const run = promisify(execFile);
const helpOf = async (file: string, ...command: string[]) => {
  const args = [join(root, file), ...command, '--help'];
  return (await run(process.execPath, args, { timeout: 30_000 })).stdout;
};
/** Returns the help of a program, or that of each of its commands. */
async function helpsOf(file: string): Promise<string[]> {
  const help = await helpOf(file);
  const commands = [...help.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name = '']) => name);
  return commands.length === 0 ? [help] : Promise.all(commands.map((name) => helpOf(file, name)));
}
const programs = await Promise.all(
  Object.entries<string>(scripts).flatMap(([script, command]) => {
    const [, file] = /^node bin\/node24\.mjs (?:--\S+ )?(\S+\.ts)$/.exec(command) ?? [];
    if (file === undefined) return [];
    return helpsOf(file).then((helps) => ({ script, file, name: `npm run ${script}`, helps }));
  }),
);

describe.each(programs)('$name', ({ script, file, helps }) => {
  test('has a help that fits a screen, with an example', () => {
    for (const help of helps) {
      const lines = help.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(40);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
      expect(help).toMatch(/\n\nExample:\n {2}npm (start|run) /);
    }
  });

  const options = helps.flatMap((help) =>
    [...help.matchAll(/^ {2}(--[\w-]+)(?: <(\w+)(?:\.{3})?>)?.*(?:\n {8,}.*)*/gm)].map(
      ([text, option = '', value]) => ({
        option,
        value: value && (/choices:\s+"([^"]+)"/.exec(text)?.[1]?.replace(/\s+/g, ' ') ?? 'x'),
      }),
    ),
  );

  // npm is real: it must neither know an option's name nor take it for an abbreviation.
  const npmRun = (args: string[]) => {
    const folder = temporaryFolder();
    const quoted = [process.execPath, join(root, file)].map(
      (path) => `"${path.replace(/[$`]/g, '\\$&')}"`,
    );
    const command = quoted.join(' ');
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { [script]: command } }));
    return spawnSync('npm', ['run', '-s', script, ...args], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 30_000,
    });
  };
  if (options.length > 0)
    test.each(script === 'token' ? ['=', ' '] : [' '])(
      'names every option that npm took, with "%s" before values',
      (before) => {
        const typed = options.flatMap(({ option, value }) =>
          before === '=' || !value ? [value ? `${option}=${value}` : option] : [option, value],
        );
        const { status, stderr } = npmRun(typed);
        expect(status).toBe(1);
        const [, told = ''] = /^error: npm took (.*) for its own\. .*\n$/m.exec(stderr) ?? [];
        expect(new Set(told.split(', '))).toEqual(new Set(options.map(({ option }) => option)));
      },
    );
});
