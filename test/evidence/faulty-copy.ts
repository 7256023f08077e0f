import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { jest } from '../support/jest/arguments.ts';
import { copyProject, root } from '../support/project.ts';

/** What came of a suite: undefined if it passed, or its first failure, of one line or more. */
type Failure = string | undefined;

/** Makes a copy of the project in a folder, to run suites on faulty code there. */
export function faultyCopy(folder: string) {
  const [copy, temporary] = [join(folder, 'project'), join(folder, 'temporary')];
  copyProject(copy);
  mkdirSync(temporary);
  const sound = new Map<string, Promise<number>>();

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
    const [failure, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    if (code === 0) return undefined;
    return failure || errors || `did not end within ${Math.round(timeoutMs / 1000)} s`;
  }

  /** Returns how long a suite takes. Throws if it fails without a fault. */
  async function durationOf(suite: string): Promise<number> {
    const startedAt = performance.now();
    const failure = await run(suite, 300_000);
    if (failure) throw new Error(`${suite} fails in a copy without a fault:\n${failure}`);
    return performance.now() - startedAt;
  }

  /** Runs a suite while files have other contents. A suite that takes too long fails. */
  async function findFailure(suite: string, files: Record<string, string>): Promise<Failure> {
    const known = sound.get(suite) ?? durationOf(suite);
    sound.set(suite, known);
    const timeoutMs = 30_000 + 5 * Math.round(await known);
    for (const [file, content] of Object.entries(files)) writeFileSync(join(copy, file), content);
    const failure = await run(suite, timeoutMs);
    for (const file of Object.keys(files))
      if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
      else rmSync(join(copy, file));
    return failure;
  }

  return findFailure;
}
