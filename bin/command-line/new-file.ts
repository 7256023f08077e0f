import { randomUUID } from 'node:crypto';
import { closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { CommandError } from './command-error.ts';
import { onInterrupt } from './progress.ts';

/**
 * Writes a file that other users cannot open, and that gets its name once it is complete. Follows
 * no link, replaces nothing, and leaves nothing behind if it fails or is interrupted.
 */
export async function writeNewFile(name: string, texts: AsyncGenerator<string>): Promise<void> {
  if (lstatSync(name, { throwIfNoEntry: false })) {
    throw new CommandError(`${name} exists: choose another name, or remove it.`);
  }
  const draft = `${name}.${randomUUID()}.part`;
  const removeDraft = () => rmSync(draft, { force: true });
  onInterrupt(() => {
    removeDraft();
    return 'Nothing was written. Repeat the command.';
  });
  try {
    // With `flush`, the content is on the disk before the file gets its name.
    await writeFile(draft, texts, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    removeDraft();
    if (error instanceof CommandError) {
      throw error;
    }
    const { message } = error as Error;
    throw new CommandError(`${name} cannot be written: ${message}. Choose another file.`);
  }
  try {
    // A renaming replaces an existing file, so the name is taken first. A link would replace
    // nothing, but some disks have none.
    closeSync(openSync(name, 'wx', 0o600));
    renameSync(draft, name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = code === 'EEXIST' ? `${name} exists by now` : message;
    throw new CommandError(`${what}. The export is in ${draft}: move it elsewhere.`);
  }
}
