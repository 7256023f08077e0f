import type { Field, Fields } from '../../functions/items/fields.ts';
import type { JsonSchema } from '../../functions/items/kinds.ts';
import { mapped } from './parts.ts';

export const int64Description =
  'A 64-bit integer. JavaScript’s numbers lose digits above 2^53: keep it as text or BigInt.';

/** Returns the JSON Schema of a field's values. */
export function schemaOf({ kind }: Field<unknown>): JsonSchema {
  const schema = kind.schema();
  return schema.format === 'int64' ? { ...schema, description: int64Description } : schema;
}

/** Returns the JSON Schema of a parameter, with its default. */
export function parameterSchema(field: Field<unknown>): JsonSchema {
  const { fallback, isRequired } = field;
  return {
    ...schemaOf(field),
    ...(!isRequired && fallback !== undefined && { default: fallback }),
  };
}

/**
 * Returns the JSON Schema of an object in a request, which has no other members. Its descriptions
 * tell the defaults, because generators of client code take a member with a default for required.
 */
export function requestSchema(fields: Fields): JsonSchema {
  const properties = mapped(fields, (field) => {
    const schema = schemaOf(field);
    if (field.isRequired || field.fallback === undefined) {
      return schema;
    }
    const value = field.fallback === '' ? 'Empty' : JSON.stringify(field.fallback);
    const description = `${schema.description ?? ''} ${value} if it is left out.`.trimStart();
    return { ...schema, description };
  });
  const required = Object.keys(fields).filter((name) => fields[name]?.isRequired);
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Returns the JSON Schema of an object in an answer. It has every field, and may have others. */
export const answerSchema = (fields: Fields): JsonSchema => ({
  type: 'object',
  properties: mapped(fields, schemaOf),
  required: Object.keys(fields),
});
