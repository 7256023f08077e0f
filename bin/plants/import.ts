import { createReadStream, type ReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Creation } from '../../functions/items/store.ts';
import type { PlantStore } from '../../functions/plants/store.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { inParallel } from './in-parallel.ts';
import { fromLine, LineError, readLines } from './lines.ts';
import { untilAvailable } from './retry.ts';

type Input = ReadStream | NodeJS.ReadStream;
type Outcome = Creation | 'invalid';

/** Gets the progress of an import. */
export interface ImportReport {
  /** Called after each line. `bytes` have been read so far. */
  progress(outcome: Outcome, bytes: number): void;
  /** Called for a line that is not imported. */
  fault(line: number, reason: string): void;
}

/**
 * Creates an owner's plants from lines of JSON, as the API would: a plant that is there already
 * stays as it is. Lines that are not plants are reported and passed over.
 */
export async function importPlants(
  store: PlantStore,
  owner: string,
  onlyWriter: boolean,
  input: Input,
  report: ImportReport,
  signal: AbortSignal,
): Promise<void> {
  await inParallel(
    numberedLines(input, signal),
    async ({ text, number }) => {
      const outcome = await importLine(text, number);
      report.progress(outcome, input.bytesRead);
    },
    signal,
  );

  async function importLine(text: string | undefined, number: number): Promise<Outcome> {
    try {
      if (text === undefined) throw new LineError(`it is longer than ${maxBodyBytes} bytes`);
      const plant = fromLine(text);
      const creation = await untilAvailable(() => store.create(owner, plant), onlyWriter);
      if (creation === 'conflict')
        report.fault(number, `another plant has the id ${plant.id}; it stays as it is`);
      return creation;
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      report.fault(number, error.message);
      return 'invalid';
    }
  }
}

/** Opens a file, or stdin if none is named. */
export const openInput = (file: string | undefined): Input =>
  file === undefined ? process.stdin : createReadStream(file);

async function* numberedLines(input: Input, signal: AbortSignal) {
  let number = 0;
  try {
    for await (const { text } of readLines(addAbortSignal(signal, input))) {
      number += 1;
      if (text?.trim() !== '') yield { text, number };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
