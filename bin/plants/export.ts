import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Plant } from '../../functions/plants/plant.ts';
import type { PlantStore } from '../../functions/plants/store.ts';
import { toLine } from './lines.ts';
import { untilAvailable } from './retry.ts';
import { type Origin, openUnfinishedExport } from './unfinished-export.ts';

const pageSize = 1000;

/** Yields an owner's plants, page by page, in the order of their ids. */
export async function* pagesOf(
  store: PlantStore,
  owner: string,
  after?: bigint,
  signal?: AbortSignal,
): AsyncGenerator<Plant[]> {
  let last = after;
  for (;;) {
    const page = await untilAvailable(() => store.list(owner, pageSize, last, signal));
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    last = page.at(-1)?.id;
  }
}

/** Writes an owner's plants to stdout. */
export async function exportToStdout(
  store: PlantStore,
  owner: string,
  count: (plants: number) => void,
): Promise<void> {
  await pipeline(linesOf(pagesOf(store, owner), count), process.stdout, { end: false });
}

/**
 * Writes an owner's plants to a file, or continues an export that did not come to its end. Ends
 * early once the signal has aborted, and then resolves to false.
 */
export async function exportToFile(
  store: PlantStore,
  origin: Origin,
  file: string,
  count: (plants: number) => void,
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

async function* linesOf(pages: AsyncGenerator<Plant[]>, count: (plants: number) => void) {
  for await (const page of pages) {
    yield page.map(toLine).join('');
    count(page.length);
  }
}
