import * as v from 'valibot';
import { parseJsonObject } from '../../functions/http/json.ts';
import { newPlant, type Plant } from '../../functions/plants/plant.ts';

/** A plant as the members that a create request has, in one line of JSON. */
export const toLine = ({ id, ...others }: Plant): string =>
  `{"id":${id},${JSON.stringify(others).slice(1)}\n`;

/** Reads a line as strictly as the API reads the body of a create request. Throws a LineError. */
export function fromLine(line: string): Plant {
  const { members, repeated } = parse(line);
  const result = v.safeParse(newPlant, members);
  const faults = [
    ...repeated.map((name) => `${JSON.stringify(name)} must occur only once`),
    ...Object.keys(members)
      .filter((name) => !Object.hasOwn(newPlant.entries, name))
      .map((name) => `${JSON.stringify(name)} is not a member of a plant`),
    ...(result.issues ?? []).map(
      ({ path, kind, type, message }) =>
        `${path?.[0].key} ${kind === 'schema' && type === 'object' ? 'is required' : message}`,
    ),
  ];
  if (faults.length > 0 || !result.success) throw new LineError(faults.join('; '));
  return result.output;
}

/** A line that is not a plant. The message says why. */
export class LineError extends Error {
  override name = 'LineError';
}

function parse(line: string) {
  try {
    const object = parseJsonObject(line);
    if (object) return object;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new LineError('it is not a JSON object');
}
