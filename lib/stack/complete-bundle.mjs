// Adds the handler's file to a function's bundle: `node complete-bundle.mjs HANDLER_FILE FOLDER`.
import { chmodSync, copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [handlerFile, folder] = process.argv.slice(2);
copyFileSync(handlerFile, join(folder, 'start.mjs'));
// The zip has the modes of the files. Under umask 077, Lambda's user could not read them.
for (const file of readdirSync(folder)) {
  chmodSync(join(folder, file), 0o644);
}
