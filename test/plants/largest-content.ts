import openApi from '../../docs/openapi.json' with { type: 'json' };

const fields = Object.entries<{ type: string; maxLength?: number; enum?: string[] }>(
  openApi.components.schemas.Plant.properties,
);

/** The content of a plant that takes the most bytes, because every code point has four. */
export const largestContent: Record<string, string> = Object.fromEntries(
  fields.map(([field, { type, maxLength, enum: values }]) => {
    if (type !== 'string') return [field, `${-(2n ** 63n)}`];
    if (values)
      return [field, values.reduce((one, other) => (other.length > one.length ? other : one))];
    if (!maxLength) throw new Error(`The schema of ${field} has no maxLength: add it as metadata.`);
    return [field, '🪴'.repeat(maxLength)];
  }),
);
