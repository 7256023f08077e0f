import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** Runs the explorer, and returns its exit code with what it printed. */
export const explore = (...args: string[]) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    const program = join(import.meta.dirname, 'explore.ts');
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
