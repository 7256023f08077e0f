import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assemble, synthesizeInThread } from '../../../lib/offline/assembly.ts';
import { digestOf } from '../../../lib/offline/digest.ts';
import { temporaryFolder } from '../cleanup.ts';

/**
 * Writes the assembly that `app.ts` in a folder synthesizes, which is kept like the one of the
 * project for as long as nothing in that folder changes.
 */
export async function keptAssembly(folder: string): Promise<string> {
  const assembly = join(temporaryFolder(), 'assembly');
  const files = globSync(`${folder}/**`, { withFileTypes: true }).filter((entry) => entry.isFile());
  const digest = digestOf(files.map(({ parentPath, name }) => join(parentPath, name)).sort());
  const app = pathToFileURL(join(folder, 'app.ts')).href;
  await assemble(assembly, { [folder]: digest }, (outdir) => synthesizeInThread(outdir, {}, app));
  return assembly;
}
