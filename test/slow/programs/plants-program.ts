import { join } from 'node:path';
import { temporaryFolder } from '../../support/cleanup.ts';
import { type OpenTables, openTables } from '../../support/database/open-database.ts';
import { answered, label, sent } from '../../support/plant.ts';
import { type Ended, type Program, startProgram } from '../../support/program.ts';

/** CI takes 100 000. */
export const many = Number(process.env.PLANTS ?? 1500);
/** How long they take on a busy machine, at most. */
export const seconds = 60 + many / 60;

/** The plants program, on tables of its own and in a folder of its own. */
export interface PlantsProgram {
  tables: OpenTables;
  /** Starts the program, as `npm run plants --` does. Its stdin stays open. */
  start(args: string[], endpoint?: string): Program;
  /** Runs the program to its end, with this input. */
  plants(args: string[], stdin?: string, endpoint?: string): Promise<Ended>;
  /** Returns the path of a file in its folder. */
  file(name: string): string;
}

/** Starts the tables that the program is to work on. */
export async function plantsProgram(): Promise<PlantsProgram> {
  const folder = temporaryFolder();
  const tables = await openTables();

  function start(args: string[], endpoint = tables.endpoint): Program {
    const command = ['bin/plants.ts', ...args, '--dynamodb-endpoint', endpoint];
    const env = { ...process.env, INIT_CWD: folder };
    return startProgram(process.execPath, command, { env, seconds });
  }

  function plants(args: string[], stdin = '', endpoint?: string): Promise<Ended> {
    const { child, ended } = start(args, endpoint);
    child.stdin.end(stdin);
    return ended();
  }

  return { tables, start, plants, file: (name) => join(folder, name) };
}

export const line = (id: bigint | number, text?: string) =>
  `${sent(id, answered(text === undefined ? {} : { [label]: text }))}\n`;
export const linesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => line(i + 1, `Plant ${i + 1} ${'x'.repeat(i % 100)}`));

/** Returns the expected result of a command that succeeds. */
export const success = (stderr: string, stdout = '') => ({ code: 0, stdout, stderr });
