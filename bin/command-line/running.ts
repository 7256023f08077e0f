import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a running `npm start` answers. */
export interface Running {
  processId: number;
  baseUrl: string;
  dynamodbEndpoint: string;
}

export const defaultDataFolder = '.plant-store';
export const defaultPorts = { api: 3000, dynamodb: 8000 };

const fileIn = (dataFolder: string) => join(dataFolder, 'running.json');

/** Records where this process answers, so that other programs find it, until `stop`. */
export function announce(
  dataFolder: string,
  { baseUrl, dynamodbEndpoint }: Omit<Running, 'processId'>,
) {
  const file = fileIn(dataFolder);
  const running: Running = { processId: process.pid, baseUrl, dynamodbEndpoint };
  writeFileSync(file, JSON.stringify(running), { mode: 0o600 });
  return { stop: async () => rmSync(file, { force: true }) };
}

/** Returns where the `npm start` with this data folder answers, or undefined. */
export function findRunning(dataFolder = defaultDataFolder): Running | undefined {
  try {
    const running: Running = JSON.parse(readFileSync(fileIn(dataFolder), 'utf8'));
    // A process that was killed has not removed its file.
    return isAlive(running.processId) ? running : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // Another user's process.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
