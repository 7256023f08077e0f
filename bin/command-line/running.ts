import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A running `npm start`. */
export interface Running {
  /** A random name, which the process returns at `instancePath`. */
  instance: string;
  processId: number;
  baseUrl: string;
  dynamodbEndpoint: string;
}

export const defaultDataFolder = '.plant-store';
export const defaultPorts = { api: 3000, dynamodb: 8000 };

/** A path of the API's server, outside the stage and the reference. */
export const instancePath = '/instance';

const toFilePath = (dataFolder: string): string => join(dataFolder, 'running.json');

/** Writes a process's addresses to a file, so that other programs find them. */
export function announce(dataFolder: string, running: Running): void {
  const file = toFilePath(dataFolder);
  // Renaming is atomic: other programs read a whole file or none.
  writeFileSync(`${file}.new`, JSON.stringify(running), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Returns the running `npm start` with this data folder, if there is one. Asks its address, because
 * the file outlives its process, and another process may have its id or its port.
 */
export async function findRunning(dataFolder = defaultDataFolder): Promise<Running | undefined> {
  try {
    const running: Running = JSON.parse(readFileSync(toFilePath(dataFolder), 'utf8'));
    const url = new URL(instancePath, running.baseUrl);
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    return (await response.text()) === running.instance ? running : undefined;
  } catch {
    return undefined;
  }
}
