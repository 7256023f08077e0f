import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a running `npm start` answers. */
export interface Running {
  baseUrl: string;
  dynamodbEndpoint: string;
}

export const defaultDataFolder = '.plant-store';

const fileIn = (dataFolder: string) => join(dataFolder, 'running.json');

/** Records where this process answers, so that other programs find it, until `stop`. */
export function announce(dataFolder: string, { baseUrl, dynamodbEndpoint }: Running) {
  const file = fileIn(dataFolder);
  const running = { processId: process.pid, baseUrl, dynamodbEndpoint };
  writeFileSync(file, JSON.stringify(running), { mode: 0o600 });
  return { stop: async () => rmSync(file, { force: true }) };
}

/** Returns where the `npm start` with this data folder answers, or undefined. */
export function findRunning(dataFolder = defaultDataFolder): Running | undefined {
  try {
    const { processId, ...running } = JSON.parse(readFileSync(fileIn(dataFolder), 'utf8'));
    // Throws if the process has ended without removing its file.
    process.kill(processId, 0);
    return running;
  } catch {
    return undefined;
  }
}
