import * as v from 'valibot';
import { type JsonObject, parseJsonObject } from '../../functions/http/json.ts';
import { newPlant, type Plant } from '../../functions/plants/plant.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';

/** A plant as the members that a create request has, in one line of JSON. */
export const toLine = ({ id, ...others }: Plant): string =>
  `{"id":${id},${JSON.stringify(others).slice(1)}\n`;

/** Reads a line as strictly as the API reads the body of a create request. Throws a LineError. */
export function fromLine(line: string): Plant {
  const { members, repeated } = parse(line);
  const unknown = Object.keys(members).filter((name) => !Object.hasOwn(newPlant.entries, name));
  const { success, output, issues = [] } = v.safeParse(newPlant, members);
  const faults = [
    ...repeated.map((name) => `${JSON.stringify(name)} must occur only once`),
    ...unknown.map((name) => `${JSON.stringify(name)} is unknown`),
    ...issues.map(({ path, message }) => `${path?.[0]?.key} ${message}`),
  ];
  if (!success || faults.length > 0) {
    throw new LineError(faults.join('; '));
  }
  return output;
}

/** A line that is not a plant. The message says why. */
export class LineError extends Error {
  override name = 'LineError';
}

function parse(line: string): JsonObject {
  try {
    const object = parseJsonObject(line);
    if (object) {
      return object;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  throw new LineError('it is not a JSON object');
}

/**
 * Yields the lines of a text, without the byte order mark that programs of Windows write before it.
 * A line that is longer than the largest body of a create is undefined, and not kept.
 */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isFirst = true;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= maxBodyBytes) {
      pieces.push(piece);
    }
  };
  const take = () => {
    const line = bytes <= maxBodyBytes ? Buffer.concat(pieces).toString() : undefined;
    const text = isFirst ? line?.replace(/^\uFEFF/, '') : line;
    pieces = [];
    bytes = 0;
    isFirst = false;
    return text;
  };
  // readline would also end a line at U+2028, which a name can contain.
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) {
    yield take();
  }
}
