import { randomUUID } from 'node:crypto';
import { createWriteStream, linkSync, lstatSync, rmSync, type WriteStream } from 'node:fs';
import { AdministrationError } from '../administration/administration-error.ts';

/** A file that gets its name once it is complete. Until then it ends in a random id and `.part`. */
export interface NewFile {
  stream: WriteStream;
  /** Gives the file its name. Throws if that is taken by now, and leaves both files as they are. */
  finish(): void;
  /** Removes what was written. */
  abandon(): void;
}

/**
 * Creates a file that other users cannot open. Follows no link and replaces nothing. Throws if the
 * name is taken.
 */
export function createNewFile(name: string): NewFile {
  if (lstatSync(name, { throwIfNoEntry: false })) {
    throw new AdministrationError(`${name} exists: choose another name, or remove it.`);
  }
  const draft = `${name}.${randomUUID()}.part`;
  // With `x`, a file or a link that is there already is an error. With `flush`, the content is on
  // the disk before the file gets its name.
  const stream = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  return {
    stream,
    finish() {
      try {
        // Unlike a renaming, a link replaces nothing.
        linkSync(draft, name);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const what = code === 'EEXIST' ? `${name} exists by now` : message;
        throw new AdministrationError(
          `${what}. What was to be written is in ${draft}: move it elsewhere.`,
        );
      }
      rmSync(draft);
    },
    abandon() {
      rmSync(draft, { force: true });
    },
  };
}
