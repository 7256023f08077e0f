import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { Json } from './responses.ts';

/** Returns the JSON Schema of a schema that the functions use. Throws if JSON rounds a bound. */
export function makeJsonSchema(schema: v.GenericSchema): Json {
  const { $schema: _, ...members } = toJsonSchema(schema, {
    // The lengths of a text are its metadata. No pattern for its characters works in every
    // language.
    ignoreActions: ['regex'],
    typeMode: 'input',
    overrideAction({ valibotAction, jsonSchema }): JsonSchema | undefined {
      const { type, requirement } = valibotAction as { type: string; requirement?: unknown };
      if (typeof requirement !== 'bigint') {
        return undefined;
      }
      if (!Number.isSafeInteger(Number(requirement))) {
        throw new Error(
          `JSON rounds the bound ${requirement}. Describe its member as openapi.ts describes the id.`,
        );
      }
      return { ...jsonSchema, [type === 'min_value' ? 'minimum' : 'maximum']: Number(requirement) };
    },
    overrideSchema({ valibotSchema, jsonSchema }): JsonSchema | undefined {
      switch (valibotSchema.type) {
        case 'bigint':
          return { type: 'integer' };
        case 'optional': {
          // Client generators treat a member with a default as required.
          const { default: _, ...others } = jsonSchema;
          return others;
        }
        default:
          return undefined;
      }
    },
  });
  return members;
}
