import {
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from './checkout.ts';
import { finallyDo } from './cleanup.ts';
import { eventually } from './eventually.ts';

/** What is left of a program that has ended. A signal that killed it leaves no code. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Program {
  child: ChildProcessWithoutNullStreams;
  /** What it has written so far. */
  output: { stdout: string; stderr: string };
  /** The lines so far on stdout and stderr. */
  lines: string[];
  /** Waits for what comes of the program. */
  comes<T>(what: string, source: PromiseLike<T> | (() => T)): Promise<Awaited<T>>;
  /** Returns the exit code and the output, once it has ended. */
  ended(): Promise<Ended>;
  /** Returns the first line that matches. Rejects with the program's end if none does. */
  line(form: RegExp): Promise<string>;
}

/** Starts a program. At the end of the test file it is killed. A wait for it takes `seconds`. */
export function startProgram(
  command: string,
  args: string[],
  { seconds = 240, ...options }: SpawnOptionsWithoutStdio & { seconds?: number } = {},
): Program {
  const child = spawn(command, args, { cwd: root, ...options });
  finallyDo(() => child.kill('SIGKILL'));
  // A program may end without reading its input.
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
  const comes = <T>(what: string, source: PromiseLike<T> | (() => T)) =>
    eventually(`${what} of ${command} ${args.join(' ')}`, source, {
      seconds,
      instead: () => lines.join('\n'),
    });
  return {
    child,
    output,
    lines,
    comes,
    ended: () => comes('the end', closed),
    async line(form) {
      const find = () => lines.find((line) => form.test(line));
      const found = await comes(`a line like ${form}`, () => find() ?? isClosed);
      const end = await (typeof found === 'string' ? undefined : closed);
      if (end) {
        throw Object.assign(new Error(`It ended: ${lines.join('\n')}`), end);
      }
      return `${found}`;
    },
  };
}

/** A running `npm start`, with the calls of an owner. */
export interface NpmStart extends Program {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
  headers: Record<string, string>;
  create(plant: object): Promise<Response>;
  remove(id: number): Promise<Response>;
  list(query?: string): Promise<Response>;
  /** A signal ends it at once. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts `npm start` on free ports. Returns it once it is ready. */
export async function startNpmStart(
  args: string[],
  { cwd = root, launcher = [] as string[], env = process.env } = {},
): Promise<NpmStart> {
  const ports = ['--port', '0', '--dynamodb-port', '0'];
  const command = [...launcher, 'bin/start.ts', '--json', ...ports, ...args];
  const program = startProgram(process.execPath, command, { cwd, env });
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
    end(signal = 'SIGINT') {
      program.child.kill(signal);
      return program.ended();
    },
  };
}
