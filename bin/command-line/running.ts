import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a running `npm start` answers. */
export interface Running {
  processId: number;
  baseUrl: string;
  dynamodbEndpoint: string;
}

export const defaultDataFolder = '.plant-store';
export const defaultPorts = { api: 3000, dynamodb: 8000 };

const fileIn = (dataFolder: string): string => join(dataFolder, 'running.json');

/** Records where this process answers, so that other programs find it. */
export function announce(
  dataFolder: string,
  { baseUrl, dynamodbEndpoint }: Pick<Running, 'baseUrl' | 'dynamodbEndpoint'>,
): void {
  const file = fileIn(dataFolder);
  const running: Running = { processId: process.pid, baseUrl, dynamodbEndpoint };
  // Other programs read all of it or nothing.
  writeFileSync(`${file}.new`, JSON.stringify(running), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Returns what the `npm start` with this data folder announced, or undefined if it has ended. */
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
    // EPERM means that it is another user's process.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
