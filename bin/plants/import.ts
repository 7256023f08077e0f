import { createReadStream, existsSync, fstatSync, type ReadStream, statSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { AdministrationError } from '../administration/administration-error.ts';
import { printable } from '../command-line/printable.ts';
import { counted } from './counted.ts';
import { fromLine, LineError, readLines } from './lines.ts';
import { openPlants, untilAvailable } from './plants-table.ts';
import { progressBar } from './progress-bar.ts';
import { type WriteOptions, writeAll } from './write-all.ts';

/** So many faulty lines are shown. The others are only counted. */
const faultsShown = 20;

/**
 * Creates an owner's plants from lines of JSON, as the API would: a plant that is there already
 * stays as it is. Lines that are not plants are reported and passed over.
 */
export async function importCommand(
  file: string | undefined,
  options: WriteOptions,
): Promise<void> {
  const { owner, onlyWriter } = options;
  const { store } = await openPlants(options);
  if (file === undefined && process.stdin.isTTY) {
    throw new AdministrationError('Name a file to import.');
  }
  if (file !== undefined && !existsSync(file)) {
    throw new AdministrationError(`There is no file ${file}. Name one that is there.`);
  }
  const stats = file === undefined ? fstatSync(0) : statSync(file);
  if (file !== undefined && stats.isDirectory()) {
    throw new AdministrationError(`${file} is a folder. Name a file.`);
  }
  const input = file === undefined ? process.stdin : createReadStream(file);

  const bar = progressBar('Importing');
  const done = { created: 0, unchanged: 0, conflict: 0, invalid: 0 };
  const soFar = () => `${counted(done.created)} created, ${done.unchanged} there already`;
  let lines = 0;
  function fault(kind: 'conflict' | 'invalid', line: number, reason: string): void {
    done[kind] += 1;
    bar.clear();
    if (done.conflict + done.invalid <= faultsShown) {
      console.error(`line ${line}: ${printable(reason)}`);
    }
  }

  async function importLine({ text, number }: NumberedLine): Promise<void> {
    try {
      if (text === undefined) {
        throw new LineError(`it is longer than ${maxBodyBytes} bytes`);
      }
      const plant = fromLine(text);
      const creation = await untilAvailable(() => store.create(owner, plant), onlyWriter);
      if (creation === 'conflict') {
        fault(creation, number, `another plant has the id ${plant.id}; it stays as it is`);
      } else {
        done[creation] += 1;
      }
    } catch (error) {
      if (!(error instanceof LineError)) {
        throw error;
      }
      fault('invalid', number, error.message);
    }
    lines += 1;
    bar.show(lines, stats.isFile() ? Math.min(input.bytesRead / stats.size, 1) : undefined);
  }

  await writeAll(options, (signal) => numberedLines(input, signal), importLine, { bar, soFar });
  const faults = done.conflict + done.invalid;
  if (faults > faultsShown) {
    console.error(`… and ${faults - faultsShown} more lines like these`);
  }
  if (faults > 0) {
    throw new AdministrationError(
      `${soFar()}, ${done.conflict} in conflict, ${done.invalid} invalid.`,
    );
  }
  console.error(`Imported for ${owner}: ${soFar()}.`);
}

/** A line with its number. The text is undefined if it is too long. */
interface NumberedLine {
  text: string | undefined;
  number: number;
}

async function* numberedLines(
  input: ReadStream | NodeJS.ReadStream,
  signal: AbortSignal,
): AsyncGenerator<NumberedLine> {
  let number = 0;
  try {
    for await (const text of readLines(addAbortSignal(signal, input))) {
      number += 1;
      if (text?.trim() !== '') {
        yield { text, number };
      }
    }
  } catch (error) {
    if (!signal.aborted) {
      throw new AdministrationError(`The file cannot be read: ${(error as Error).message}.`);
    }
  }
}
