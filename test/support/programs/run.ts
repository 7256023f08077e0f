import { PassThrough, Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { type Ended, startProgram } from '../program.ts';

interface Surroundings {
  env?: Record<string, string | undefined>;
  stdin?: string | Buffer | Readable;
  cwd?: string;
  /** Whether stdout and stderr are a terminal. */
  isTTY?: boolean;
  /** Whether the output keeps the line that names a local database. */
  keepsTarget?: boolean;
}

/** Splits a command line into arguments. Quotes keep blanks together, as in a shell. */
const splitArguments = (line: string): string[] =>
  (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ''));

const localTarget = /^Using the database at http:\S+\.\n/m;

/** Runs a program in this process, in a hundredth of the time. */
export async function runHere(
  program: () => Promise<number>,
  line: string,
  { env = {}, stdin = '', isTTY = false, keepsTarget = false }: Surroundings = {},
): Promise<Ended> {
  const terminal = { isTTY, columns: 80 };
  const streams = {
    stdout: Object.assign(new PassThrough(), terminal),
    stderr: Object.assign(new PassThrough(), terminal),
  };
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].setEncoding('utf8').on('data', (more) => {
      text[name] += more;
    });
    jest.spyOn(process, name, 'get').mockReturnValue(streams[name] as never);
  }
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
    // Its port differs from run to run.
    const stderr = keepsTarget ? text.stderr : text.stderr.replace(localTarget, '');
    return { code, stdout: text.stdout, stderr };
  } finally {
    Object.assign(process, { argv, env: own });
    jest.restoreAllMocks();
  }
}

/** Runs a program in a process of its own. */
export function runProcess(
  command: string,
  args: string[],
  { env = {}, stdin = '', cwd }: Surroundings & { stdin?: string } = {},
): Promise<Ended> {
  const options = { env: { ...process.env, ...env }, ...(cwd !== undefined && { cwd }) };
  const program = startProgram(command, args, options);
  program.child.stdin.end(stdin);
  return program.ended();
}
