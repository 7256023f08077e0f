import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ItemStore } from '../../functions/items/store.ts';
import type { Plant } from '../../functions/plants/plant.ts';
import type { PlantStore } from '../../functions/plants/store.ts';
import { AdministrationError } from '../administration/administration-error.ts';
import type { TargetOptions } from '../administration/target-options.ts';
import { counted, onInterrupt } from './interruptible.ts';
import { toLine } from './lines.ts';
import { openPlants } from './open-plants.ts';
import { progressBar } from './progress-bar.ts';
import { untilAvailable } from './retry.ts';
import { type Origin, openUnfinishedExport } from './unfinished-export.ts';

/** Writes an owner's plants to a file, or to stdout if none is named. */
export async function exportCommand(
  file: string | undefined,
  options: TargetOptions & { owner: string },
): Promise<void> {
  const { owner } = options;
  const { store, identity } = await openPlants(options);
  const bar = progressBar('Exporting');
  let plants = 0;
  const count = (more: number) => {
    plants += more;
    bar.show(plants);
  };
  if (file === undefined) await exportToStdout(store, owner, count);
  else {
    const origin = { owner, ...(await identity()) };
    if (!(await exportToFile(store, origin, file, count, onInterrupt())))
      throw new AdministrationError(`interrupted. Repeat the command to continue ${file}.part.`);
  }
  bar.clear();
  console.error(`Exported ${counted(plants)} of ${owner}.`);
}

const pageSize = 1000;

/** Yields an owner's items, page by page, in the order of their ids. */
export async function* pagesOf<T extends { id: bigint }>(
  store: ItemStore<T>,
  owner: string,
  after?: bigint,
  signal?: AbortSignal,
): AsyncGenerator<T[]> {
  let last = after;
  for (;;) {
    const page = await untilAvailable(() => store.list(owner, pageSize, last, signal));
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    last = page.at(-1)?.id;
  }
}

type Count = (plants: number) => void;

export const exportToStdout = (store: PlantStore, owner: string, count: Count): Promise<void> =>
  pipeline(linesOf(pagesOf(store, owner), count), process.stdout, { end: false });

/**
 * Writes an owner's plants to a file, or continues an export that did not come to its end. Ends
 * early once the signal has aborted, and then resolves to false.
 */
export async function exportToFile(
  store: PlantStore,
  origin: Origin,
  file: string,
  count: Count,
  signal: AbortSignal,
): Promise<boolean> {
  const { path, plants, bytes, last, finish } = await openUnfinishedExport(file, origin);
  count(plants);
  // It is on the disk before it gets its name.
  const stream = createWriteStream(path, { flags: 'a', flush: true });
  const pages = pagesOf(store, origin.owner, last, signal);
  try {
    await pipeline(linesOf(pages, count), stream, { signal });
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
  finish(bytes + stream.bytesWritten);
  return true;
}

async function* linesOf(pages: AsyncGenerator<Plant[]>, count: Count) {
  for await (const page of pages) {
    yield page.map(toLine).join('');
    count(page.length);
  }
}
