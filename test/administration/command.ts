import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/project.ts';

export interface Run {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export const start = (
  program: string,
  args: string[],
  env: Record<string, string | undefined>,
  { cwd = root, stdin = '' } = {},
): Promise<Run> =>
  new Promise((resolve, reject) => {
    const options = { cwd, env, timeout: 60_000 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`${error.message} did not end within 60 s: ${stderr}`));
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
    });
    // The program may end without reading its input.
    child.stdin?.on('error', () => undefined).end(stdin);
  });

/**
 * Returns the arguments of a command line. One with blanks stands in single quotes, as in a shell.
 */
const argumentsIn = (line: string) =>
  (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));

/**
 * Runs the program that `npm run -s token --` starts, with no AWS account except that of `env`.
 * Without npm and the launcher it starts in a quarter of the time.
 */
export async function token(
  line: string,
  env: Record<string, string> = {},
  options: { cwd?: string; stdin?: string } = {},
): Promise<Run> {
  const home = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const noAws = {
    HOME: home,
    USERPROFILE: home,
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const args = [join(root, 'bin', 'token.ts'), ...argumentsIn(line)];
  const run = await start(process.execPath, args, { ...noAws, ...env }, options);
  rmSync(home, { recursive: true });
  return run;
}
