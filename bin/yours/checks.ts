import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, run } from './git.ts';

interface GeneratedFile {
  file: string;
  /** The program that writes it in seconds, if there is one. */
  by?: string;
}

/** Files that follow from the code. */
export const generated: GeneratedFile[] = [
  { file: 'docs/openapi.json', by: 'bin/openapi.ts' },
  { file: 'docs/client-types.ts', by: '.ci/steps/client-types' },
  { file: 'docs/first-minute.svg', by: 'test/docs/pictures/first-minute.ts' },
  // A run of the evidence takes an hour, so these stay as they are.
  { file: 'docs/proof.json' },
  { file: 'docs/speed.json' },
  { file: 'docs/mutation.json' },
];

/** Writes the generated files anew. Returns what failed. */
export function writeGenerated(folder: string): string[] {
  const failed: string[] = [];
  const isThere = (path: string): boolean => existsSync(join(folder, path));
  for (const { file, by: program } of generated) {
    // A copy may have left out the file or the program.
    if (program === undefined || !isThere(file) || !isThere(program)) {
      continue;
    }
    try {
      run(folder, program.endsWith('.ts') ? process.execPath : 'bash', [program]);
    } catch (error) {
      if (!(error instanceof CommandError)) {
        throw error;
      }
      failed.push(`${program} failed:\n${error.message}`);
    }
  }
  return failed;
}

/** Runs types and lint. Returns the first lines of each that fails. */
export function faultsOfChecks(folder: string): string[] {
  const checks = [
    [join('node_modules', 'typescript', 'bin', 'tsc'), '--pretty', 'false'],
    [
      join('node_modules', '@biomejs', 'biome', 'bin', 'biome'),
      'check',
      '--error-on-warnings',
      '--colors=off',
    ],
  ];
  return checks.flatMap((args) => {
    try {
      run(folder, process.execPath, args);
      return [];
    } catch (error) {
      if (!(error instanceof CommandError)) {
        throw error;
      }
      return [error.message.split('\n').slice(0, 20).join('\n')];
    }
  });
}

/** Brings package-lock.json in line with package.json, for every platform. */
export function lockPackages(folder: string): void {
  npm(folder, 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
}

/** Runs npm, by its file if npm has started this program. */
export function npm(folder: string, ...args: string[]): void {
  const { npm_execpath: file } = process.env;
  // The lock file holds no address of a registry.
  const options = ['--omit-lockfile-registry-resolved'];
  if (file) {
    run(folder, process.execPath, [file, ...args, ...options]);
  } else {
    run(folder, 'npm', [...args, ...options]);
  }
}

/** Formats the files, because other names make other lines long, and drops unused imports. */
export function format(folder: string, packages: string): void {
  const biome = join(packages, '@biomejs', 'biome', 'bin', 'biome');
  if (!existsSync(biome)) {
    throw new CommandError(`${biome} is missing. Run "npm ci" first.`);
  }
  const unused = ['lint', '--write', '--unsafe', '--only=correctness/noUnusedImports'];
  run(folder, process.execPath, [biome, ...unused]);
  run(folder, process.execPath, [biome, 'check', '--write', '--linter-enabled=false']);
}
