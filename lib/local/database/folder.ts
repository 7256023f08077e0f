import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';

/** Advice at the end of an error. */
export const chooseAnother =
  'choose another folder with --data, or keep data in memory only with --memory.';

/**
 * Creates the data folder if it is missing, and checks dynalite's files in it. Returns their path.
 * Rejects with one line for people, and removes nothing.
 */
export async function openFolder(folder: string): Promise<string> {
  const path = join(folder, 'dynalite');
  try {
    // The folder holds digests of access tokens and everybody's plants.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length === 0) {
      writeFileSync(join(folder, '.gitignore'), '*\n');
    }
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${folder} cannot be written (${code}): ${chooseAnother}`, { cause });
  }
  const level = new ClassicLevel<string, { TableStatus: string }>(path, { valueEncoding: 'json' });
  try {
    await level.open();
    await removeUnfinishedTables(level);
  } catch (cause) {
    throw explainFileError(folder, cause) ?? cause;
  } finally {
    await level.close();
  }
  return path;
}

/**
 * Removes tables that a process was creating when it was killed. dynalite would neither finish nor
 * create them again. They are empty, because a table accepts items only once it is active.
 */
async function removeUnfinishedTables(
  level: ClassicLevel<string, { TableStatus: string }>,
): Promise<void> {
  const tables = level.iterator({ gt: 'table~', lt: 'table\x7f' });
  for (const [key, { TableStatus }] of await tables.all()) {
    if (TableStatus !== 'ACTIVE') {
      await level.del(key);
    }
  }
}

/**
 * Returns an error of the database's files as one line for people. Returns undefined for any other
 * error. On a full disk, dynalite throws, which stops the process. That is right: LevelDB may lose
 * the write after a failed one.
 */
export function explainFileError(folder: string, error: unknown): Error | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  // An error on opening has LevelDB's own as its cause.
  const cause = (error.cause ?? error) as NodeJS.ErrnoException;
  const problem = describeProblem(cause);
  if (problem === undefined) {
    return undefined;
  }
  return new Error(`${folder} ${problem}, or ${chooseAnother}`, { cause });
}

function describeProblem({ code, message }: NodeJS.ErrnoException): string | undefined {
  switch (code) {
    case 'LEVEL_LOCKED':
      return 'is in use by another "npm start" or "npm run sam". Stop that one';
    case 'LEVEL_IO_ERROR':
      return `cannot be read and written: ${message}. Fix that`;
    case 'LEVEL_CORRUPTION':
      return `is damaged: ${message}. Remove it to start with an empty one`;
    default:
      return undefined;
  }
}
