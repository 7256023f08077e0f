import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { jest } from '../jest.ts';
import type { Mutant } from './stryker.ts';

const root = join(import.meta.dirname, '..', '..');

/** The suites of CI that run real bundles, by the files that they look at most. The first fits. */
const suites: [files: RegExp, suites: string[]][] = [
  [/access-tokens|authorize/, ['test/access-tokens/', 'test/contract/', 'test/stack/']],
  [/sdk|environment|log/, ['test/bundles/', 'test/contract/', 'test/access-tokens/', 'test/http/']],
  [/writes|database|store/, ['test/faults/', 'test/explorer/', 'test/contract/', 'test/store/']],
  [/contract/, ['test/contract/', 'test/stack/', 'test/openapi/', 'test/access-tokens/']],
  [/./, ['test/contract/', 'test/faults/', 'test/proof/fuzz', 'test/bundles/']],
];

/**
 * Makes a copy of the project, and returns a function that applies a mutant to it and returns the
 * first test that fails, or undefined if none does.
 */
export function openCopy() {
  const copy = mkdtempSync(join(tmpdir(), 'plant-store-mutant-'));
  for (const name of readdirSync(root).filter((name) => name !== 'node_modules' && name !== '.git'))
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      filter: (path) => !path.endsWith('node_modules'),
    });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

  async function findFailure({ file, source }: Mutant): Promise<string | undefined> {
    const [, names = []] = suites.find(([files]) => files.test(file)) ?? [];
    writeFileSync(join(copy, file), source);
    const child = spawn(process.execPath, [...jest, '--bail', '--runInBand', ...names], {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    cpSync(join(root, file), join(copy, file));
    if (code === 0) return undefined;
    return /● (.+)/.exec(output)?.[1] ?? output;
  }

  return { findFailure, remove: () => rmSync(copy, { recursive: true }) };
}
