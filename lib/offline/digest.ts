import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Returns a digest of the names and contents of files, whose paths can be relative to a folder. */
export function digestOf(files: string[], folder = ''): string {
  const hash = createHash('sha256');
  for (const file of files) {
    hash
      .update(`${file}\0`)
      .update(contentOf(resolve(folder, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Returns '' if the file is gone, because editors remove temporary files at any moment. */
function contentOf(file: string): Buffer | string {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return '';
    }
    throw error;
  }
}
