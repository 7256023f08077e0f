import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, kill, pid } from 'node:process';
import { changeOrRestore, heedSignals } from '../../../bin/yours/git.ts';

// A change that gets a signal, as a long one does while it runs other programs.
const [, , folder = '', signal = ''] = argv;
await changeOrRestore(folder, async () => {
  writeFileSync(join(folder, 'file'), 'changed');
  kill(pid, signal);
  await heedSignals();
  writeFileSync(join(folder, 'another'), '');
});
