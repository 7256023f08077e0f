import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of a file, or undefined if it has none: a picture, a link, a submodule. */
export function readText(folder: string, file: string): string | undefined {
  const path = join(folder, file);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) {
    return undefined;
  }
  const bytes = readFileSync(path);
  if (bytes.includes(0)) {
    return undefined;
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
