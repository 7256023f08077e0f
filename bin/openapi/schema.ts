import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

type JsonSchema = Record<string, unknown>;

export const int64Description =
  'A 64-bit integer. JavaScript’s numbers lose digits above 2^53: keep it as text or BigInt.';

/**
 * Returns the JSON Schema of an object in a request, which has no other members. Its descriptions
 * tell the defaults, because generators of client code take a member with a default for required.
 */
export function requestSchema(schema: v.GenericSchema): JsonSchema {
  const object = jsonSchemaOf(schema, 'input');
  for (const member of Object.values(object.properties as Record<string, JsonSchema>)) {
    const { default: initial, description = '' } = member;
    if (initial === undefined) continue;
    const value = initial === '' ? 'Empty' : JSON.stringify(initial);
    member.description = `${description} ${value} if it is left out.`.trimStart();
    delete member.default;
  }
  return { ...object, additionalProperties: false };
}

/**
 * Returns the JSON Schema of what is sent, the input, or of what is read from it. Objects may have
 * more members.
 */
export function jsonSchemaOf(
  schema: v.GenericSchema,
  typeMode: 'input' | 'output',
  name = 'a schema',
): JsonSchema {
  // First alone, so that an error names the field.
  if ('entries' in schema)
    for (const [field, entry] of Object.entries(schema.entries as v.ObjectEntries))
      jsonSchemaOf(entry as v.GenericSchema, typeMode, `the field ${field}`);
  try {
    const { $schema, ...jsonSchema } = toJsonSchema(schema, { ...rules, typeMode }) as JsonSchema;
    return jsonSchema;
  } catch (error) {
    throw new Error(
      `${name} cannot be said in JSON Schema. Add a rule to bin/openapi/schema.ts. ${error}`,
    );
  }
}

/**
 * Writes a pattern without `\p{…}`, so that Python, Java, Rust and JavaScript read it alike. Most
 * of them do not read a lone surrogate.
 */
const portable = (source: string): string =>
  source.replaceAll('\\p{Cc}', '\\u0000-\\u001F\\u007F-\\u009F').replaceAll('\\p{Cs}', '');

const rules: ConversionConfig = {
  target: 'draft-2020-12',
  overrideSchema({ valibotSchema, jsonSchema }) {
    // Most readers would round the bounds of an int64, so that only the format tells them.
    if (valibotSchema.type === 'bigint')
      return { type: 'integer', format: 'int64', description: int64Description };
    // The API has no other numbers.
    if (valibotSchema.type === 'number') return { type: 'integer' };
    if (valibotSchema.type === 'optional' && jsonSchema.type === 'integer')
      return { ...jsonSchema, default: Number(jsonSchema.default) };
    return undefined;
  },
  overrideAction({ valibotAction, jsonSchema }) {
    if (valibotAction.kind === 'transformation') return jsonSchema;
    if ('requirement' in valibotAction) {
      const { requirement } = valibotAction;
      if (typeof requirement === 'bigint' && !Number.isSafeInteger(Number(requirement)))
        return jsonSchema;
      // A dot that matches any character only counts, and minLength and maxLength tell the count.
      if (requirement instanceof RegExp)
        return requirement.dotAll
          ? jsonSchema
          : { ...jsonSchema, pattern: portable(requirement.source) };
      // A bound within 2^53 makes an ordinary integer of an int64.
      const { format, description, ...integer } = jsonSchema;
      if (valibotAction.type === 'min_value') return { ...integer, minimum: Number(requirement) };
      if (valibotAction.type === 'max_value') return { ...integer, maximum: Number(requirement) };
    }
    return undefined;
  },
};
