import { join } from 'node:path';
import { temporaryFolder } from '../../support/cleanup.ts';
import { openTables } from '../../support/database/open-database.ts';
import { answered, label, sent } from '../../support/plant.ts';
import { startProgram } from '../../support/program.ts';

/** CI takes 100 000. */
export const many = Number(process.env.PLANTS ?? 1500);
/** How long they take on a busy machine, at most. */
export const seconds = 60 + many / 60;

/** Starts both tables, and returns what runs the plants program on them in a folder of its own. */
export async function plantsProgram() {
  const folder = temporaryFolder();
  const tables = await openTables();

  /** Starts the program, as `npm run plants --` does. Its stdin stays open. */
  function start(args: string[], endpoint = tables.endpoint) {
    const command = ['bin/plants.ts', ...args, '--dynamodb-endpoint', endpoint];
    const env = { ...process.env, INIT_CWD: folder };
    return startProgram(process.execPath, command, { env, seconds });
  }

  /** Runs the program to its end, with this input. */
  function plants(args: string[], stdin = '', endpoint?: string) {
    const { child, ended } = start(args, endpoint);
    child.stdin.end(stdin);
    return ended();
  }

  return { tables, start, plants, file: (name: string) => join(folder, name) };
}

export const line = (id: bigint | number, text?: string) =>
  `${sent(id, answered(text === undefined ? {} : { [label]: text }))}\n`;
export const linesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => line(i + 1, `Plant ${i + 1} ${'x'.repeat(i % 100)}`));

/** Returns the expected result of a command that succeeds. */
export const success = (stderr: string, stdout = '') => ({ code: 0, stdout, stderr });
