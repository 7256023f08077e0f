import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from './checkout.ts';
import { finallyDo } from './cleanup.ts';
import { eventually } from './eventually.ts';

export type Program = ReturnType<typeof startProgram>;

/** Starts a program. At the end of the test file it is killed. A wait for it takes `seconds`. */
export function startProgram(
  command: string,
  args: string[],
  { seconds = 240, ...options }: SpawnOptionsWithoutStdio & { seconds?: number } = {},
) {
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
  const closed = once(child, 'close').then(([code]: (number | null)[]) => {
    isClosed = true;
    return { code, ...output };
  });
  /** Waits for what comes of the program. */
  const comes = <T>(what: string, source: PromiseLike<T> | (() => T)) =>
    eventually(`${what} of ${command} ${args.join(' ')}`, source, {
      seconds,
      instead: () => lines.join('\n'),
    });
  return {
    child,
    output,
    /** The lines so far on stdout and stderr. */
    lines,
    comes,
    /** Returns a program's exit code and output, once it has ended. */
    ended: () => comes('the end', closed),
    /** Returns the first line that matches. Rejects with the program's end if none does. */
    async line(form: RegExp): Promise<string> {
      const find = () => lines.find((line) => form.test(line));
      const found = await comes(`a line like ${form}`, () => find() ?? isClosed);
      const end = await (typeof found === 'string' ? undefined : closed);
      if (end) throw Object.assign(new Error(`It ended: ${lines.join('\n')}`), end);
      return `${found}`;
    },
  };
}

/** Starts `npm start` on free ports. Returns it with the calls of an owner, once it is ready. */
export async function startNpmStart(
  args: string[],
  { cwd = root, launcher = [] as string[] } = {},
) {
  const ports = ['--port', '0', '--dynamodb-port', '0'];
  const command = [...launcher, 'bin/start.ts', '--json', ...ports, ...args];
  const program = startProgram(process.execPath, command, { cwd });
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
    create: (plant: object) => call('', { method: 'POST', body: JSON.stringify(plant) }),
    remove: (id: number) => call(`/${id}`, { method: 'DELETE' }),
    list: (query = '') => call(query),
    end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM') {
      program.child.kill(signal);
      return program.ended();
    },
  };
}
