import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The addresses of a running `npm start`. */
export interface Running {
  processId: number;
  baseUrl: string;
  dynamodbEndpoint: string;
}

export const defaultDataFolder = '.plant-store';
export const defaultPorts = { api: 3000, dynamodb: 8000 };

const fileIn = (dataFolder: string): string => join(dataFolder, 'running.json');

/** Writes this process's addresses to a file, so that other programs find them. */
export function announce(
  dataFolder: string,
  { baseUrl, dynamodbEndpoint }: Pick<Running, 'baseUrl' | 'dynamodbEndpoint'>,
): void {
  const file = fileIn(dataFolder);
  const running: Running = { processId: process.pid, baseUrl, dynamodbEndpoint };
  // Renaming is atomic: other programs read a whole file or none.
  writeFileSync(`${file}.new`, JSON.stringify(running), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Returns the addresses of the running `npm start` with this data folder, if there is one. */
export function findRunning(dataFolder = defaultDataFolder): Running | undefined {
  try {
    const running: Running = JSON.parse(readFileSync(fileIn(dataFolder), 'utf8'));
    return isAlive(running.processId) ? running : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
