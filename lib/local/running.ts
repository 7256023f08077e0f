import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { defaultDataFolder } from './options.ts';

/** A running `npm start`. */
export interface Running {
  /** A random name, which the process returns at `instancePath`. */
  instance: string;
  processId: number;
  baseUrl: string;
  dynamodbEndpoint: string;
  /** The absolute path of its data folder. Missing if the data is in memory. */
  data?: string;
}

/** A path of the API's server, outside the stage and the reference. */
export const instancePath = '/instance';

/** Has a file for each database port on which an `npm start` of this project was last started. */
const announcements = join(defaultDataFolder, 'running');

/** Writes a process's addresses to a file, so that other programs find them. */
export function announce(running: Running): void {
  mkdirSync(announcements, { recursive: true, mode: 0o700 });
  const file = join(announcements, `${new URL(running.dynamodbEndpoint).port}.json`);
  // Renaming is atomic: other programs read a whole file or none.
  writeFileSync(`${file}.new`, JSON.stringify(running), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Returns every running `npm start` of this project. */
export async function findRunning(): Promise<Running[]> {
  const files = readFolder(announcements).filter((name) => name.endsWith('.json'));
  const found = await Promise.all(files.map((name) => readRunning(join(announcements, name))));
  return found.filter((running) => running !== undefined);
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/**
 * Returns the process that wrote a file, if it is running. Asks its address, because the file
 * outlives its process, and another process may have its id or its port.
 */
async function readRunning(file: string): Promise<Running | undefined> {
  try {
    const running: Running = JSON.parse(readFileSync(file, 'utf8'));
    // Unlike fetch, this agent uses no proxy, whatever the environment says.
    const options = { agent: false, signal: AbortSignal.timeout(2000) } as const;
    const request = get(new URL(instancePath, running.baseUrl), options);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return (await text(response)) === running.instance ? running : undefined;
  } catch {
    return undefined;
  }
}
