import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Runs the proof: `npm run proof`, or a part of it: `npm run proof -- test/proof/kill`.

const folder = mkdtempSync(join(tmpdir(), 'plant-store-proof-'));
process.env.PROOF ??= '1';
process.env.PROOF_ROWS = join(folder, 'rows');

function runJest(workers: number, paths: string[], ignored: string[] = []): boolean {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  // Jest takes what follows a list of paths for more of them, unless it begins with a hyphen.
  const ignoring = ['/node_modules/', ...ignored].map((path) => `--testPathIgnorePatterns=${path}`);
  const options = [...ignoring, `--maxWorkers=${workers}`, '--passWithNoTests', '--verbose'];
  const { status } = spawnSync(
    process.execPath,
    [...flags, 'node_modules/jest/bin/jest.js', ...options, ...paths],
    { stdio: 'inherit' },
  );
  return status === 0;
}

const given = process.argv.slice(2);
const namesFile = given.some((argument) => argument.startsWith('test/'));
const alone = 'test/proof/alone';
const passed =
  given.length > 0
    ? [runJest(1, [...(namesFile ? [] : ['test/proof']), ...given])]
    : [runJest(2, ['test/proof'], [alone]), runJest(1, [alone])];
rmSync(folder, { recursive: true });
if (passed.includes(false)) process.exitCode = 1;
