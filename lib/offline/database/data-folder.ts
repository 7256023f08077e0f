import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { finishTables, repairIndexes } from './unfinished-work.ts';

/** A folder that no other process can open until it is closed, or this process ends. */
export interface DataFolder {
  /** The path of the engine's files. */
  engine: string;
  close(): Promise<void>;
}

/** Another process has the data folder open. */
export class FolderInUse extends Error {}

/** Changes when this program or its engine can no longer read the folders of earlier versions. */
const format = '1';

const afresh = 'Remove it to start afresh, or choose another folder.';
const another = 'choose another folder with --data, or keep nothing with --memory.';

/**
 * Opens a data folder, or makes one. The operating system drops its lock when the process ends.
 * Rejects with a message for people if the folder is in use, damaged or of another version. Such a
 * folder stays as it is.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  prepare(path);
  const engine = join(path, 'dynalite');
  // Its lock is the folder's lock.
  const own = new ClassicLevel(join(path, 'plant-store'));
  try {
    await own.open();
    const found = await own.get('format');
    if (found !== undefined && found !== format) {
      throw new Error(
        `${path} was written by another version (format ${found}, this is ${format}). ${afresh}`,
      );
    }
    const wasKilled = (await own.get('open')) !== undefined;
    await checkEngine(engine, found === undefined, wasKilled);
    await own.put('open', 'yes');
    // Written last, so that a folder with a format is complete.
    await own.put('format', format);
    return { engine, close: () => close(own) };
  } catch (error) {
    await own.close();
    throw explained(path, error as LevelError);
  }
}

/** Returns whether a process has a data folder open. A folder that is missing stays missing. */
export async function isInUse(path: string): Promise<boolean> {
  const own = new ClassicLevel(join(path, 'plant-store'), { createIfMissing: false });
  try {
    await own.open();
    return false;
  } catch (error) {
    return (error as LevelError).cause?.code === 'LEVEL_LOCKED';
  } finally {
    await own.close();
  }
}

async function close(own: ClassicLevel): Promise<void> {
  // A disk that is full keeps the mark, and the next process repairs what needs no repair.
  await own.del('open').catch(() => undefined);
  await own.close();
}

/** Makes the folder if it is missing. Throws if it cannot be written, or is of another program. */
function prepare(path: string): void {
  let isForeign = false;
  try {
    mkdirSync(path, { recursive: true });
    isForeign = readdirSync(path).length > 0 && !existsSync(join(path, 'plant-store'));
    // It holds digests of access tokens and everybody's plants.
    if (!isForeign) {
      chmodSync(path, 0o700);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `${path} cannot be written (${code}). ` +
        'Choose another folder with --data, or keep nothing with --memory.',
      { cause },
    );
  }
  if (isForeign) {
    throw new Error(`${path} was not made by this program. Choose another folder.`);
  }
}

/**
 * Reads all files of the engine, because a damaged one would end the process later. Then finishes
 * what an earlier process left unfinished.
 */
async function checkEngine(
  folder: string,
  createIfMissing: boolean,
  wasKilled: boolean,
): Promise<void> {
  const level = new ClassicLevel<string, unknown>(folder, { valueEncoding: 'json' });
  try {
    await level.open({ createIfMissing });
    for await (const _ of level.iterator()) {
      // Reading an entry checks it.
    }
    await finishTables(level);
    if (wasKilled) {
      await repairIndexes(level);
    }
  } finally {
    await level.close();
  }
}

type LevelError = Error & { code?: string; cause?: LevelError };

/**
 * Returns an error with a message for people. Only a folder that is damaged may be removed: one
 * that the file system does not let us read or write may be whole.
 */
function explained(path: string, error: LevelError): Error {
  // An error on opening has LevelDB's own as its cause.
  const cause = error.cause ?? error;
  if (!error.code?.startsWith('LEVEL_')) {
    return error;
  }
  if (/No locks available|not supported|not implemented/.test(cause.message)) {
    const what = `${path} is on a file system without locks`;
    return new Error(`${what}: ${another}`, { cause });
  }
  if (cause.code === 'LEVEL_LOCKED') {
    const what = `${path} is in use by another process. Stop that process, or ${another}`;
    return new FolderInUse(what, { cause });
  }
  if (cause.message.includes('No space left')) {
    const what = `${path} is on a disk that is full. Make room, then start again.`;
    return new Error(what, { cause });
  }
  if (cause.code === 'LEVEL_IO_ERROR') {
    const what = `${path} cannot be read and written (${cause.message})`;
    return new Error(`${what}. Make that possible, or ${another}`, { cause });
  }
  return new Error(`${path} is damaged. ${afresh}`, { cause });
}
