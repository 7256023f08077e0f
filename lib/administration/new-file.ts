import { randomUUID } from 'node:crypto';
import { closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { CommandError } from '../command-line/command-error.ts';
import { onInterrupt } from './progress.ts';

/**
 * Writes a file. Where files have modes, only its user can open it. The file gets its name once it
 * is complete. Follows no link, replaces nothing, and leaves nothing behind if it fails or is
 * interrupted.
 */
export async function writeNewFile(name: string, texts: AsyncGenerator<string>): Promise<void> {
  if (isTaken(name)) {
    throw new CommandError(`${name} already exists. Choose another name, or remove it.`);
  }
  // The longest name of a file leaves no room for more.
  const draft = join(dirname(name), `plants.${randomUUID()}.part`);
  const removeDraft = () => rmSync(draft, { force: true });
  onInterrupt(() => {
    removeDraft();
    return 'Nothing was written. Repeat the command.';
  });
  try {
    // `flush` puts the content on the disk before the file gets its name.
    await writeFile(draft, texts, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    removeDraft();
    throw error instanceof CommandError ? error : cannotWrite(name, error);
  }
  try {
    // Renaming replaces an existing file, so the name is taken first. Some disks have no links.
    closeSync(openSync(name, 'wx', 0o600));
    renameSync(draft, name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'EEXIST' ? `${name} was created during the export` : message;
    throw new CommandError(`${problem}. The plants are in ${draft}. Move it elsewhere.`);
  }
}

function isTaken(name: string): boolean {
  try {
    return lstatSync(name, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // The name is too long, or one of its folders is a file.
    throw cannotWrite(name, error);
  }
}

/** The system's own message would also name the draft. */
function cannotWrite(name: string, error: unknown): CommandError {
  const { errno, message } = error as NodeJS.ErrnoException;
  const reason = errno === undefined ? message : getSystemErrorMessage(errno);
  return new CommandError(`Cannot write ${name}: ${reason}. Choose another file.`);
}
