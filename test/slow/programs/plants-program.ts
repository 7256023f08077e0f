import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { root } from '../../support/project.ts';
import { startTables } from './both-tables.ts';

/** CI takes 100 000. */
export const many = Number(process.env.PLANTS ?? 1500);
/** How long they take on a busy machine, at most. */
export const seconds = 60 + many / 60;

/** Starts both tables, and returns what runs the plants program on them in a folder of its own. */
export async function plantsProgram() {
  const folder = temporaryFolder();
  const tables = await startTables();
  finallyDo(tables.stop);

  /** Starts the program, as `npm run plants --` does. Its stdin stays open. */
  function start(args: string[], endpoint = tables.endpoint) {
    const child = spawn(
      process.execPath,
      ['bin/plants.ts', ...args, '--dynamodb-endpoint', endpoint],
      {
        cwd: root,
        env: { ...process.env, INIT_CWD: folder },
      },
    );
    finallyDo(() => child.kill('SIGKILL'));
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    const ended = eventually(
      `the end of npm run plants -- ${args.join(' ')}`,
      once(child, 'close'),
      {
        seconds,
        instead: () => output.stderr,
      },
    ).then(([exitCode]) => ({ exitCode, ...output }));
    return { child, ended };
  }

  /** Runs the program to its end, with this input. */
  function plants(args: string[], stdin = '', endpoint?: string) {
    const { child, ended } = start(args, endpoint);
    // A command that fails at once does not read its input.
    child.stdin.on('error', () => undefined).end(stdin);
    return ended;
  }

  return { tables, start, plants, file: (name: string) => join(folder, name) };
}

export const line = (id: bigint | number, name = 'Aloe', tag = '') =>
  `{"id":${id},${JSON.stringify({ name, tag }).slice(1)}\n`;
export const linesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => line(i + 1, `Plant ${i + 1}`, 'x'.repeat(i % 100)));

/** Returns the expected result of a command that succeeds. */
export const success = (stderr: string, stdout = '') => ({ exitCode: 0, stdout, stderr });
