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

export interface Program {
  child: ChildProcessWithoutNullStreams;
  /** The output so far. */
  output: { stdout: string; stderr: string };
  /** Advances the clock of a Node program by milliseconds. */
  advance(ms: number): void;
  /** The lines so far on stdout and stderr. */
  lines: string[];
  /** Like `eventually`. The error shows the output so far. */
  waitFor<T>(what: string, source: PromiseLike<T> | (() => T)): Promise<Awaited<T>>;
  /** Waits for the exit. */
  ended(): Promise<Ended>;
  /** Waits for a line that matches, and returns it. Rejects with the result if none does. */
  line(form: RegExp): Promise<string>;
}

/**
 * Starts a program, and kills it at the end of the test file. `seconds` limits each wait. If Node
 * runs the program, its clock stands still.
 */
export function startProgram(
  command: string,
  args: string[],
  { seconds, env = process.env, ...options }: SpawnOptionsWithoutStdio & { seconds?: number } = {},
): Program {
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
  const output = { stdout: '', stderr: '' };
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
  const waitFor = <T>(what: string, source: PromiseLike<T> | (() => T)) =>
    eventually(`${what} of ${command} ${args.join(' ')}`, source, {
      seconds,
      instead: () => lines.join('\n'),
    });
  return {
    child,
    output,
    lines,
    advance: (ms) => child.send(ms),
    waitFor,
    ended: () => waitFor('the exit', closed),
    async line(form) {
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

/** A running `npm start`, and calls with its token. */
export interface NpmStart extends Program {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
  headers: Record<string, string>;
  create(plant: object): Promise<Response>;
  remove(id: number): Promise<Response>;
  list(query?: string): Promise<Response>;
  /** Sends a signal, and waits for the exit. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/**
 * Runs `npm start` on free ports, and waits until it is ready. `project` is the folder of the
 * project or of its copy. Unless `cwd` is given too, the program announces itself in an empty
 * folder, where no other program of this machine looks for it.
 */
export async function startNpmStart(
  args: string[],
  { project = root, cwd = temporaryFolder(), command = ['bin/start.ts'], env = process.env } = {},
): Promise<NpmStart> {
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
    headers,
    create: (plant) => call('', { method: 'POST', body: JSON.stringify(plant) }),
    remove: (id) => call(`/${id}`, { method: 'DELETE' }),
    list: (query = '') => call(query),
    stop(signal = 'SIGINT') {
      program.child.kill(signal);
      return program.ended();
    },
  };
}
