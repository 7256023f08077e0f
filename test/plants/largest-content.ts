import openApi from '../../docs/openapi.json' with { type: 'json' };
import { whole } from '../support/plant.ts';

export interface Field {
  type: string;
  maxLength?: number;
  maximum?: number;
  pattern?: string;
  enum?: string[];
}

/** Returns the value of a field that takes the most bytes: 🪴 has four, as many as any character. */
export function largestValue(name: string, field: Field, character = '🪴') {
  const { type, maxLength, pattern = '', maximum = Number.MAX_SAFE_INTEGER, enum: values } = field;
  if (type !== 'string') return type === 'integer' ? maximum : false;
  if (values) return values.reduce((one, other) => (other.length > one.length ? other : one));
  if (!maxLength) throw new Error(`The schema of ${name} has no maxLength: add it as metadata.`);
  const longest = character.repeat((maxLength * 4) / Buffer.byteLength(character));
  if (new RegExp(pattern, 'u').test(longest)) return longest;
  const given: Record<string, unknown> = whole;
  if (given[name] === undefined) throw new Error(`${name} needs a value in test/support/plant.ts.`);
  return given[name];
}

const fields = Object.entries<Field>(openApi.components.schemas.Plant.properties);
/** The content of a plant that takes the most bytes. */
export const largestContent = Object.fromEntries(
  fields.map(([name, field]) => [name, largestValue(name, field)]),
);
