import openApi from '../../docs/openapi.json' with { type: 'json' };

const fields = Object.entries<{ maxLength?: number }>(openApi.components.schemas.Plant.properties);

/** The content of a plant that takes the most bytes, because every code point has four. */
export const largestContent: Record<string, string> = Object.fromEntries(
  fields.map(([field, { maxLength }]) => {
    if (!maxLength) throw new Error(`The schema of ${field} has no maxLength: add it as metadata.`);
    return [field, '🪴'.repeat(maxLength)];
  }),
);
