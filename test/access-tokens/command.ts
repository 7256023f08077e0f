import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Run {
  exitCode: number;
  stdout: string;
  stderr: string;
}

const root = join(import.meta.dirname, '..', '..');

export const start = (
  program: string,
  args: string[],
  env: Record<string, string | undefined>,
): Promise<Run> =>
  new Promise((resolve) => {
    const child = execFile(program, args, { cwd: root, env }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    );
  });

/** Runs what `npm run -s token --` does, where nothing is known of AWS but what `env` says. */
export async function token(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const home = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const noAws = {
    HOME: home,
    USERPROFILE: home,
    PATH: process.env.PATH,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const run = await start(process.execPath, ['bin/node24.mjs', 'bin/token.ts', ...args], {
    ...noAws,
    ...env,
  });
  rmSync(home, { recursive: true });
  return run;
}
