import { createReadStream, type ReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Creation, PlantStore } from '../../functions/plants/store.ts';
import { inParallel } from './in-parallel.ts';
import { fromLine, LineError } from './plant-line.ts';
import { untilAvailable } from './retry.ts';

type Input = ReadStream | NodeJS.ReadStream;

/** The number of lines with each outcome. */
export type Outcomes = Record<Creation | 'invalid', number>;

/** Gets the progress of an import. */
export interface ImportReport {
  /** Called after each line. `bytes` have been read so far. */
  progress(bytes: number): void;
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
  input: Input,
  report: ImportReport,
  signal: AbortSignal,
): Promise<Outcomes> {
  const outcomes: Outcomes = { created: 0, unchanged: 0, conflict: 0, invalid: 0 };
  await inParallel(
    numberedLines(input, signal),
    async ({ line, number }) => {
      const outcome = await importLine(line, number);
      outcomes[outcome] += 1;
      report.progress(input.bytesRead);
    },
    signal,
  );
  return outcomes;

  async function importLine(line: string, number: number): Promise<keyof Outcomes> {
    try {
      const plant = fromLine(line);
      const creation = await untilAvailable(() => store.create(owner, plant));
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

// readline would also end a line at U+2028, which a name can contain.
async function* numberedLines(input: Input, signal: AbortSignal) {
  let number = 0;
  let rest = '';
  try {
    for await (const chunk of addAbortSignal(signal, input.setEncoding('utf8'))) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        number += 1;
        if (line.trim() !== '') yield { line, number };
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return;
  }
  if (rest.trim() !== '') yield { line: rest, number: number + 1 };
}
