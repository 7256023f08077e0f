import { pipeline } from 'node:stream/promises';
import { AdministrationError } from '../administration/administration-error.ts';
import { counted } from './counted.ts';
import { onInterrupt } from './interrupt.ts';
import { toLine } from './lines.ts';
import { createNewFile } from './new-file.ts';
import { type OwnerOptions, openPlants, pagesOf } from './plants-table.ts';
import { progressBar } from './progress-bar.ts';

/** Writes an owner's plants to a new file, or to stdout if none is named. */
export async function exportCommand(
  file: string | undefined,
  options: OwnerOptions,
): Promise<void> {
  const { owner } = options;
  const { store } = await openPlants(options);
  const bar = progressBar('Exporting');
  let plants = 0;
  async function* lines(signal?: AbortSignal): AsyncGenerator<string> {
    for await (const page of pagesOf(store, owner, signal)) {
      yield page.map(toLine).join('');
      plants += page.length;
      bar.show(plants);
    }
  }

  if (file === undefined) {
    await pipeline(lines(), process.stdout, { end: false });
  } else {
    await writeFile(file, lines);
  }
  bar.clear();
  console.error(`Exported ${counted(plants)} of ${owner}.`);
}

/** Writes lines to a new file. Leaves nothing behind if that fails or is interrupted. */
async function writeFile(
  name: string,
  lines: (signal: AbortSignal) => AsyncGenerator<string>,
): Promise<void> {
  const signal = onInterrupt();
  const file = createNewFile(name);
  let databaseFailure: unknown;
  async function* fromDatabase(): AsyncGenerator<string> {
    try {
      yield* lines(signal);
    } catch (error) {
      databaseFailure = error;
      throw error;
    }
  }
  try {
    await pipeline(fromDatabase, file.stream, { signal });
  } catch (error) {
    file.abandon();
    if (signal.aborted) {
      throw new AdministrationError('interrupted, and nothing was written. Repeat the command.');
    }
    const { message } = error as Error;
    throw (
      databaseFailure ??
      new AdministrationError(`${name} cannot be written: ${message}. Choose another file.`)
    );
  }
  file.finish();
}
