import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Runs the proof: `npm run proof`, or a part of it: `npm run proof -- test/proof/kill`.

const folder = mkdtempSync(join(tmpdir(), 'plant-store-proof-'));
process.env.PROOF ??= '1';
process.env.PROOF_ROWS = join(folder, 'rows');

function runJest(...options: string[]): boolean {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = 'node_modules/jest/bin/jest.js';
  const { status } = spawnSync(
    process.execPath,
    [...flags, jest, '--verbose', '--passWithNoTests', ...options],
    { stdio: 'inherit' },
  );
  return status === 0;
}
const ignoring = (...paths: string[]) => [
  '--testPathIgnorePatterns=/node_modules/',
  ...paths.map((path) => `--testPathIgnorePatterns=${path}`),
];

const given = process.argv.slice(2);
const namesFile = given.some((argument) => argument.startsWith('test/'));
const alone = 'test/proof/alone';
const passed =
  given.length > 0
    ? [runJest('--runInBand', ...ignoring(), ...given, ...(namesFile ? [] : ['test/proof']))]
    : [
        runJest('--maxWorkers=2', ...ignoring(alone), '--', 'test/proof'),
        runJest('--runInBand', ...ignoring(), '--', alone),
      ];
rmSync(folder, { recursive: true });
if (passed.includes(false)) process.exitCode = 1;
