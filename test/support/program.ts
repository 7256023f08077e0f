import {
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './checkout.ts';
import { finallyDo, temporaryFolder } from './cleanup.ts';
import { stoppedClock } from './clock/clock.ts';
import { eventually } from './eventually.ts';

/** The result of a program. */
export interface Ended {
  /** null if a signal stopped it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export type Program = ReturnType<typeof startProgram>;

/**
 * Starts a program, and kills it at the end of the test file. `seconds` limits each wait. If Node
 * runs the program, its clock stands still.
 */
export function startProgram(
  command: string,
  args: string[],
  { seconds, env = process.env, ...options }: SpawnOptionsWithoutStdio & { seconds?: number } = {},
) {
  const isNode = command === process.execPath;
  const child = spawn(command, args, {
    cwd: root,
    env: isNode ? { ...stoppedClock, ...env } : env,
    stdio: ['pipe', 'pipe', 'pipe', isNode ? 'ipc' : 'ignore'],
    ...options,
  }) as ChildProcessWithoutNullStreams;
  finallyDo(() => {
    child.kill('SIGKILL');
    // A program that this one started, and that outlives it, has the same pipes. Jest would not
    // exit.
    child.stdout.destroy();
    child.stderr.destroy();
  });
  // A program may exit without reading its input.
  child.stdin.on('error', () => undefined);
  /** The output so far. */
  const output = { stdout: '', stderr: '' };
  /** The lines so far on stdout and stderr. */
  const lines: string[] = [];
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
    createInterface(child[name]).on('line', (line) => lines.push(line));
  }
  let isClosed = false;
  const closed = once(child, 'close').then(([code = null]: (number | null)[]) => {
    isClosed = true;
    return { code, ...output };
  });
  /** Like `eventually`. The error shows the output so far. */
  const waitFor = <T>(what: string, source: PromiseLike<T> | (() => T)) =>
    eventually(`${what} of ${command} ${args.join(' ')}`, source, {
      seconds,
      instead: () => lines.join('\n'),
    });
  return {
    child,
    output,
    lines,
    /** Advances the clock of a Node program by milliseconds. */
    advance: (ms: number) => child.send(ms),
    waitFor,
    /** Waits for the exit. */
    ended: (): Promise<Ended> => waitFor('the exit', closed),
    /** Waits for a line that matches, and returns it. Rejects with the result if none does. */
    async line(form: RegExp): Promise<string> {
      const find = () => lines.find((line) => form.test(line));
      const found = await waitFor(`a line like ${form}`, () => find() ?? isClosed);
      const end = await (typeof found === 'string' ? undefined : closed);
      if (end) {
        throw Object.assign(new Error(`${command} exited:\n${lines.join('\n')}`), end);
      }
      return `${found}`;
    },
  };
}

export type NpmStart = Awaited<ReturnType<typeof startNpmStart>>;

/**
 * Runs `npm start` on free ports, and waits until it is ready. `project` is the folder of the
 * project or of its copy. Unless `cwd` is given too, the program announces itself in an empty
 * folder, where no other program of this machine looks for it. The calls have its token.
 */
export async function startNpmStart(
  args: string[],
  { project = root, cwd = temporaryFolder(), command = ['bin/start.ts'], env = process.env } = {},
) {
  const ports = ['--port', '0', '--dynamodb-port', '0'];
  const programs = command.map((file) => join(project, file));
  const options = [...programs, '--json', ...ports, ...args];
  const program = startProgram(process.execPath, options, { cwd, env });
  const ready: { baseUrl: string; token: string; dynamodbEndpoint: string } = JSON.parse(
    await program.line(/^\{"baseUrl"/),
  );
  const headers = { Authorization: `Bearer ${ready.token}`, 'Content-Type': 'application/json' };
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${ready.baseUrl}/plants${path}`, { headers, ...init });
  return {
    ...program,
    ...ready,
    create: (plant: object) => call('', { method: 'POST', body: JSON.stringify(plant) }),
    remove: (id: number) => call(`/${id}`, { method: 'DELETE' }),
    list: (query = '') => call(query),
    /** Sends a signal, and waits for the exit. */
    stop(signal: NodeJS.Signals = 'SIGINT') {
      program.child.kill(signal);
      return program.ended();
    },
  };
}
