import { pipeline } from 'node:stream/promises';
import { type Plant, parsePlant } from '../../functions/plants/plant.ts';
import { CommandError } from '../command-line/command-error.ts';
import { escapeControls } from '../command-line/escape-controls.ts';
import { formatCount } from '../command-line/format-count.ts';
import { resolvePath } from '../command-line/paths.ts';
import { writeNewFile } from './new-file.ts';
import { clearProgress, onInterrupt, showProgress } from './progress.ts';
import { readPages } from './stored-plants.ts';
import type { Target } from './target.ts';

/** Writes an owner's plants to a new file, or to stdout for `-`. Returns their number. */
export async function exportPlants(
  { database, tables, explain }: Target,
  owner: string,
  file: string,
): Promise<number> {
  const isTerminal = file === '-' && process.stdout.isTTY;
  // An escape like \u202e is JSON's own, too.
  const format = isTerminal ? escapeControls : (line: string) => line;
  let exported = 0;
  async function* pages(): AsyncGenerator<string> {
    try {
      for await (const page of readPages(database, tables.plants, owner)) {
        yield page.map((item) => `${format(formatPlant(parsePlant(item)))}\n`).join('');
        exported += page.length;
        showProgress(`Exporting: ${formatCount(exported, 'plant')}`);
      }
    } catch (error) {
      throw new CommandError(explain(error));
    } finally {
      clearProgress();
    }
  }

  if (file === '-') {
    onInterrupt(() => 'The export is incomplete. Repeat the command.');
    await pipeline(pages, process.stdout, { end: false });
  } else {
    await writeNewFile(resolvePath(file), pages());
  }
  return exported;
}

/** Returns the body that creates a plant, in one line. */
function formatPlant({ id, ...others }: Plant): string {
  return `{"id":${id},${JSON.stringify(others).slice(1)}`;
}
