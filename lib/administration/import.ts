import type { Readable } from 'node:stream';
import { validate } from '../../functions/http/input.ts';
import { findJsonObject, type JsonObject } from '../../functions/http/json.ts';
import { newPlant, type Plant } from '../../functions/plants/plant.ts';
import { plantStore } from '../../functions/plants/store.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { CommandError } from '../command-line/command-error.ts';
import { escapeControls } from '../command-line/escape-controls.ts';
import { formatCount } from '../command-line/format-count.ts';
import { type Line, readLines } from './lines.ts';
import { clearProgress, showProgress } from './progress.ts';
import type { Target } from './target.ts';
import { writeAll } from './write-all.ts';

/** Maximum characters of a line. No valid plant has more. */
const maxLineLength = maxBodyBytes;

/** Maximum invalid lines that are reported one by one. The others are counted. */
const maxReportedLines = 20;

/**
 * Creates an owner's plants from lines of JSON, as the API does. Existing plants stay as they are.
 * Reports and skips invalid lines. Returns the numbers in words; throws a CommandError with them if
 * a line was skipped.
 */
export async function importPlants(
  target: Target,
  owner: string,
  input: Readable,
): Promise<string> {
  const store = plantStore(target.database, target.tables.plants);
  const done = { created: 0, unchanged: 0, conflict: 0, invalid: 0 };
  const soFar = () => `${formatCount(done.created, 'plant')} created, ${done.unchanged} unchanged`;
  function report(kind: 'conflict' | 'invalid', line: Line, reason: string): void {
    done[kind] += 1;
    if (done.conflict + done.invalid > maxReportedLines) {
      return;
    }
    clearProgress();
    console.error(`line ${line.number}: ${escapeControls(reason)}`);
  }

  async function importLine(line: Line): Promise<void> {
    const read = readPlant(line.text);
    if ('errors' in read) {
      report('invalid', line, read.errors.join('; '));
      return;
    }
    const creation = await store.create(owner, read.plant);
    if (creation === 'conflict') {
      report('conflict', line, `id ${read.plant.id} belongs to a different plant; skipped`);
      return;
    }
    done[creation] += 1;
    showProgress(`Importing: ${soFar()}`);
  }

  await writeAll(target, readLines(input, maxLineLength), importLine, soFar);
  const unreported = done.conflict + done.invalid - maxReportedLines;
  if (unreported > 0) {
    console.error(`Skipped ${formatCount(unreported, 'more line')}.`);
  }
  if (done.conflict + done.invalid > 0) {
    throw new CommandError(`${soFar()}, ${done.conflict} in conflict, ${done.invalid} invalid.`);
  }
  return soFar();
}

/** Validates a line as the API validates the body of a create. */
function readPlant(line: string): { plant: Plant } | { errors: string[] } {
  if (line.length > maxLineLength) {
    return { errors: [`must have at most ${maxLineLength} characters`] };
  }
  const parsed = parse(line);
  if ('error' in parsed) {
    return { errors: [parsed.error] };
  }
  const { content: plant, errors } = validate(newPlant, parsed.object);
  return errors.length === 0
    ? { plant }
    : { errors: errors.map(({ name, detail }) => `${JSON.stringify(name)} ${detail}`) };
}

function parse(line: string): { object: JsonObject } | { error: string } {
  try {
    // Programs on Windows write a byte order mark before the first line.
    const object = findJsonObject(line.replace(/^\uFEFF/, ''));
    return object ? { object } : { error: 'must be a JSON object' };
  } catch (error) {
    return { error: `is not well-formed JSON: ${(error as SyntaxError).message}` };
  }
}
