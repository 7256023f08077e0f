import { readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Where a running `npm start` answers. */
export interface Running {
  processId: number;
  /** The processes among which the id is unique. Another container has other processes. */
  processes: string;
  baseUrl: string;
  dynamodbEndpoint: string;
}

export const defaultDataFolder = '.plant-store';
export const defaultPorts = { api: 3000, dynamodb: 8000 };

const fileIn = (dataFolder: string) => join(dataFolder, 'running.json');

/** Records where this process answers, so that other programs find it, until `stop`. */
export function announce(
  dataFolder: string,
  { baseUrl, dynamodbEndpoint }: Pick<Running, 'baseUrl' | 'dynamodbEndpoint'>,
): { stop(): Promise<void> } {
  const file = fileIn(dataFolder);
  const running: Running = {
    processId: process.pid,
    processes: ownProcesses(),
    baseUrl,
    dynamodbEndpoint,
  };
  // Other programs read all of it or nothing.
  writeFileSync(`${file}.new`, JSON.stringify(running), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return { stop: async () => withdraw(dataFolder) };
}

/** Removes an announcement. Call it only if this process has the data folder open. */
export function withdraw(dataFolder: string): void {
  rmSync(fileIn(dataFolder), { force: true });
}

/**
 * Returns what the `npm start` with this data folder announced, or undefined. That may be one that
 * was killed: only the lock of the data folder tells for certain.
 */
export function findRunning(dataFolder = defaultDataFolder): Running | undefined {
  try {
    const running: Running = JSON.parse(readFileSync(fileIn(dataFolder), 'utf8'));
    const isGone = isOwn(running) && !isAlive(running.processId);
    return isGone ? undefined : running;
  } catch {
    return undefined;
  }
}

/** Returns whether this process can see that process, and signal it. */
export const isOwn = ({ processes }: Running): boolean => processes === ownProcesses();

/** Returns a name of the processes that this one can see. */
function ownProcesses(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Only Linux has several on one machine.
    return hostname();
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
