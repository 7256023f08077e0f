import openApi from '../../docs/openapi.json' with { type: 'json' };
import { type Content, plantKind } from '../../functions/plants/plant.ts';
import type { FieldSchema } from '../support/openapi/field-schema.ts';

const longest = <T>(values: T[]): T =>
  values.reduce((one, other) => (`${other}`.length > `${one}`.length ? other : one));

/**
 * Returns the value of a field that takes the most bytes: 🪴 has four, as many as any character. A
 * text that has a form is its example.
 */
export function largestValue(field: FieldSchema, example: unknown, character = '🪴'): unknown {
  const { maxLength, pattern = '', multipleOf: step = 1, enum: values, items } = field;
  const type = [field.type].flat()[0];
  if (type === 'boolean') {
    return false;
  }
  if (type === 'array' && items) {
    return Array(field.maxItems).fill(largestValue(items, [example].flat()[0], character));
  }
  if (type !== 'string') {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = field;
    const inner = [minimum + step, maximum - step].map((one) => Number(one.toFixed(15)));
    return longest([minimum, maximum, ...inner]);
  }
  if (values) {
    return longest(values);
  }
  const text = character.repeat(((maxLength ?? 0) * 4) / Buffer.byteLength(character));
  if (maxLength !== undefined && new RegExp(pattern, 'u').test(text)) {
    return text;
  }
  // All texts of a format are equally long.
  return example;
}

const fields = Object.entries<FieldSchema>(openApi.components.schemas.Plant.properties);
/** The content of a plant that takes the most bytes. */
export const largestContent = Object.fromEntries(
  fields.map(([name, field]) => [
    name,
    largestValue(field, plantKind.example[name as keyof Content]),
  ]),
);
