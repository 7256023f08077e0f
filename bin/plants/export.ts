import {
  closeSync,
  createWriteStream,
  existsSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Plant } from '../../functions/plants/plant.ts';
import type { PlantStore } from '../../functions/plants/store.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { AdministrationError } from '../administration/administration-error.ts';
import { fromLine, toLine } from './plant-line.ts';
import { untilAvailable } from './retry.ts';

const pageSize = 1000;

/** Yields an owner's plants, page by page, in the order of their ids. */
export async function* pagesOf(
  store: PlantStore,
  owner: string,
  after?: bigint,
): AsyncGenerator<Plant[]> {
  let last = after;
  for (;;) {
    const page = await untilAvailable(() => store.list(owner, pageSize, last));
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
 * Writes an owner's plants to a file. Until all of them are there the file's name ends in `.part`.
 * Such a file of an earlier export is continued after its last whole line. The signal ends it
 * early, without an error.
 */
export async function exportToFile(
  store: PlantStore,
  owner: string,
  file: string,
  count: (plants: number) => void,
  signal: AbortSignal,
): Promise<void> {
  if (existsSync(file))
    throw new AdministrationError(`${file} exists: choose another name, or remove it.`);
  const part = `${file}.part`;
  const last = existsSync(part) ? lastWholeLine(part) : undefined;
  const pages = pagesOf(store, owner, last === undefined ? undefined : fromLine(last).id);
  // Others may not read it, and it is on the disk before it gets its name.
  const stream = createWriteStream(part, { flags: 'a', mode: 0o600, flush: true });
  try {
    await pipeline(linesOf(pages, count), stream, { signal });
    renameSync(part, file);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* linesOf(pages: AsyncGenerator<Plant[]>, count: (plants: number) => void) {
  for await (const page of pages) {
    yield page.map(toLine).join('');
    count(page.length);
  }
}

/** No line is longer than the largest body of a create. */
const tailBytes = maxBodyBytes;

/** Returns the last line of a file, after cutting off what follows the last line break. */
function lastWholeLine(file: string): string | undefined {
  const { size } = statSync(file);
  const start = Math.max(0, size - tailBytes);
  const tail = Buffer.alloc(size - start);
  const descriptor = openSync(file, 'r+');
  try {
    readSync(descriptor, tail, 0, tail.length, start);
    const end = tail.lastIndexOf('\n');
    ftruncateSync(descriptor, start + end + 1);
    return tail.subarray(0, Math.max(end, 0)).toString().split('\n').at(-1) || undefined;
  } finally {
    closeSync(descriptor);
  }
}
