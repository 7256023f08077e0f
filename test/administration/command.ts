import { join } from 'node:path';
import { Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { root } from '../support/checkout.ts';
import { type Ended, startProgram } from '../support/program.ts';

/** Returns the arguments of a command line. One with blanks stands in quotes, as in a shell. */
const argumentsIn = (line: string) =>
  (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ''));

/**
 * Runs what `npm run -s token --` starts, in a process of its own. Jest needs it if a connection is
 * refused, because the SDK does not recognize Node's errors there.
 */
export const tokenProcess = (line: string, env: Record<string, string> = {}, cwd = root) =>
  run(process.execPath, [join(root, 'bin', 'token.ts'), ...argumentsIn(line)], env, cwd);

/** Runs a program without input to its end. */
export function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  cwd = root,
): Promise<Ended> {
  const program = startProgram(command, args, { env: { ...process.env, ...env }, cwd });
  program.child.stdin.end();
  return program.ended();
}

/** Runs the same in this process, which takes a hundredth of the time. */
export async function token(
  line: string,
  env: Record<string, string> = {},
  stdin = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  const said = { log: '', error: '', warn: '' };
  const { argv, env: own } = process;
  jest.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([stdin]) as never);
  for (const method of ['log', 'error', 'warn'] as const) {
    jest.spyOn(console, method).mockImplementation((text) => {
      said[method] += `${text}\n`;
    });
  }
  try {
    process.argv = ['node', 'bin/token.ts', ...argumentsIn(line)];
    process.env = { ...own, ...env };
    return { code: await tokenProgram(), stdout: said.log, stderr: said.error };
  } finally {
    Object.assign(process, { argv, env: own });
    jest.restoreAllMocks();
  }
}
