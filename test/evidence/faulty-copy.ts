import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { copyProject, root } from '../support/checkout.ts';
import { jest } from '../support/jest/arguments.ts';

/** What came of a suite: undefined if it passed, or its first failure, of one line or more. */
type Failure = string | undefined;

/**
 * Runs a suite while files have other contents. A suite that takes too long fails. Throws if it
 * fails without a fault.
 */
export type RunFaulty = (suite: string, files: Record<string, string>) => Promise<Failure>;

/** Makes a copy of the project in a folder, and returns what runs suites on faulty code there. */
export function faultyCopy(folder: string): RunFaulty {
  const copy = join(folder, 'project');
  const temporary = join(folder, 'temporary');
  copyProject(copy);
  mkdirSync(temporary);
  /** How long each suite takes without a fault. */
  const durations = new Map<string, number>();

  async function run(suite: string, timeoutMs: number): Promise<Failure> {
    // The copy has no packages of CI, which bring the other engine.
    const { PROOF, REPLAY, ALL_ENGINES, ...variables } = process.env;
    const reporter = '--reporters=./test/support/jest/first-failure.mjs';
    const child = spawn(process.execPath, [...jest, suite, '--runInBand', reporter], {
      cwd: copy,
      // A run that ends at its first failure leaves its folders behind.
      env: { ...variables, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await once(child, 'exit');
    if (code === 0) {
      return undefined;
    }
    const [failure, errors] = await output;
    return failure || errors || `did not end within ${Math.round(timeoutMs / 1000)} s`;
  }

  return async (suite, files) => {
    if (!durations.has(suite)) {
      const startedAt = performance.now();
      const failure = await run(suite, 300_000);
      if (failure) {
        throw new Error(`${suite} fails in a copy without a fault:\n${failure}`);
      }
      durations.set(suite, performance.now() - startedAt);
    }
    for (const [file, content] of Object.entries(files)) {
      writeFileSync(join(copy, file), content);
    }
    const failure = await run(suite, 30_000 + 5 * Math.round(durations.get(suite) ?? 0));
    for (const file of Object.keys(files)) {
      if (existsSync(join(root, file))) {
        cpSync(join(root, file), join(copy, file));
      } else {
        rmSync(join(copy, file));
      }
    }
    return failure;
  };
}
