import { Readable, Writable } from 'node:stream';
import { jest } from '@jest/globals';
import { type Ended, startProgram } from '../program.ts';

interface Surroundings {
  env?: Record<string, string | undefined>;
  stdin?: string | Buffer | Readable;
  /** Whether stdout and stderr are a terminal. */
  isTTY?: boolean;
}

/** Splits a command line into arguments. Quotes keep blanks together, as in a shell. */
const splitArguments = (line: string): string[] =>
  (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ''));

const localTarget = /^Using the database at http:\S+\.\n/m;

/**
 * Runs a program in this process, in a hundredth of the time. If it exits by itself, the result is
 * that of this moment, although the program goes on.
 */
export async function runHere(
  program: () => Promise<number>,
  line: string,
  { env = {}, stdin = '', isTTY = false }: Surroundings = {},
): Promise<Ended> {
  const terminal = { isTTY, columns: 80 };
  const text = { stdout: '', stderr: '' };
  function capture(name: 'stdout' | 'stderr'): Writable {
    const stream = new Writable({
      decodeStrings: false,
      write(more: string, _, done) {
        text[name] += more;
        done();
      },
    });
    jest.spyOn(process, name, 'get').mockReturnValue(Object.assign(stream, terminal) as never);
    return stream;
  }
  const streams = { stdout: capture('stdout'), stderr: capture('stderr') };
  let atExit: Ended | undefined;
  jest.spyOn(process, 'exit').mockImplementation((code = 0) => {
    atExit ??= { code: Number(code), ...text };
    return undefined as never;
  });
  const input = stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin as string)]);
  jest.spyOn(process, 'stdin', 'get').mockReturnValue(input as never);
  jest.spyOn(console, 'log').mockImplementation((line) => streams.stdout.write(`${line}\n`));
  jest.spyOn(console, 'error').mockImplementation((line) => streams.stderr.write(`${line}\n`));
  jest.spyOn(console, 'warn').mockImplementation((line) => streams.stderr.write(`${line}\n`));
  const { argv, env: own } = process;
  try {
    process.argv = ['node', 'bin/program.ts', ...splitArguments(line)];
    process.env = { ...own, ...env };
    const code = await program();
    const ended = atExit ?? { code, ...text };
    // Its port differs from run to run.
    return { ...ended, stderr: ended.stderr.replace(localTarget, '') };
  } finally {
    Object.assign(process, { argv, env: own });
    jest.restoreAllMocks();
  }
}

/** Runs a program in a process of its own. */
export function runProcess(
  command: string,
  args: string[],
  { env }: Pick<Surroundings, 'env'>,
): Promise<Ended> {
  const program = startProgram(command, args, { env: { ...process.env, ...env } });
  program.child.stdin.end();
  return program.ended();
}
