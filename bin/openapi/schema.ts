import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

type JsonSchema = Record<string, unknown>;

/** The JSON Schema of an object in a body, which has no other members. */
export const bodySchema = (schema: v.GenericSchema): JsonSchema => ({
  ...convert(schema, 'input'),
  additionalProperties: false,
});

/** The JSON Schema of a parameter's value: of what its text means, not of the text. */
export const parameterSchema = (schema: v.GenericSchema): JsonSchema => convert(schema, 'output');

function convert(schema: v.GenericSchema, typeMode: 'input' | 'output'): JsonSchema {
  const { $schema, ...jsonSchema } = toJsonSchema(schema, { ...rules, typeMode }) as JsonSchema;
  return jsonSchema;
}

const rules: ConversionConfig = {
  target: 'draft-2020-12',
  overrideSchema({ valibotSchema, jsonSchema }) {
    // The bounds of an int64 cannot be told as JSON numbers: most readers would round them.
    if (valibotSchema.type === 'bigint') return { type: 'integer', format: 'int64' };
    // The API knows no other numbers.
    if (valibotSchema.type === 'number') return { type: 'integer' };
    // A parameter's default is text too.
    if (valibotSchema.type === 'optional' && jsonSchema.type === 'integer')
      return { ...jsonSchema, default: Number(jsonSchema.default) };
    return undefined;
  },
  overrideAction({ valibotAction, jsonSchema }) {
    if (valibotAction.kind === 'transformation') return jsonSchema;
    if ('requirement' in valibotAction) {
      const { requirement } = valibotAction;
      if (typeof requirement === 'bigint') return jsonSchema;
      // Patterns of JSON Schema are Unicode ones. Those that let a dot be any character count characters, which minLength and maxLength tell.
      if (requirement instanceof RegExp)
        return requirement.dotAll ? jsonSchema : { ...jsonSchema, pattern: requirement.source };
      if (valibotAction.type === 'min_value')
        return { ...jsonSchema, minimum: requirement as number };
      if (valibotAction.type === 'max_value')
        return { ...jsonSchema, maximum: requirement as number };
    }
    return undefined;
  },
};
