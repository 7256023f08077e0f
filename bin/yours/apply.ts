import { join } from 'node:path';
import { type Choices, make, refusalsOf } from './make.ts';

// An upgrade runs this in a folder with another version of the original, so its arguments stay as
// they are: the choices as JSON, and the folder node_modules that has the formatter.
const [json = '', packages = ''] = process.argv.slice(2);
const folder = join(import.meta.dirname, '..', '..');
const choices: Choices = JSON.parse(json);
const refusals = refusalsOf(folder, choices);
if (refusals.length > 0) {
  console.error(refusals.join('\n'));
  process.exitCode = 1;
} else {
  make(folder, choices, packages);
}
