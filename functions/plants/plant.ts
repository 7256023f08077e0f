import * as v from 'valibot';

const smallestId = -(2n ** 63n);
const largestId = 2n ** 63n - 1n;

/** An int64, from a JSON number that was read without loss. */
const plantId = v.pipe(
  v.bigint('must be an integer'),
  v.minValue(smallestId, `must be at least ${smallestId}`),
  v.maxValue(largestId, `must be at most ${largestId}`),
);

/** An id as a path spells it: in one way only, so that a plant has one URL. */
export const plantIdInPath = v.pipe(
  v.string(),
  v.regex(/^(?:0|-?[1-9][0-9]*)$/, 'must be an integer in canonical decimal digits, like 7 or -7'),
  v.transform((digits) => BigInt(digits)),
  plantId,
);

// With the u flag, a dot matches a code point and `\p{Cs}` only a lone surrogate.
const text = (minLength: number, maxLength: number) =>
  v.pipe(
    v.string('must be a string'),
    v.regex(
      new RegExp(`^.{${minLength},${maxLength}}$`, 'su'),
      `must be ${minLength} to ${maxLength} code points long`,
    ),
    v.regex(
      /^[^\p{Cc}\p{Cs}\uFFFD]*$/u,
      'must be well-formed Unicode without control characters and without U+FFFD',
    ),
    // For JSON Schema, which counts code points too.
    v.metadata({ minLength, maxLength }),
  );

/**
 * The fields of a plant beside its id. What is accepted, stored, compared, listed and described
 * follows from them. A field that is added must be optional, because stored plants lack it.
 */
export const fields = {
  name: text(1, 200),
  tag: v.optional(text(0, 100), ''),
};

export const newPlant = v.object({ id: plantId, ...fields });
export type Plant = v.InferOutput<typeof newPlant>;
export type Content = Omit<Plant, 'id'>;

export const fieldNames = Object.keys(fields) as (keyof Content)[];

/** Returns what clients get to see of a plant. */
export function contentOf(plant: Content): Content {
  const content = {} as Content;
  for (const field of fieldNames) content[field] = plant[field];
  return content;
}

export const hasSameContent = (one: Content, other: Content): boolean =>
  fieldNames.every((field) => one[field] === other[field]);

/**
 * Parses an item of the table. A field that it lacks has its default. Throws if the item is
 * invalid.
 */
export function storedPlant(item: Record<string, unknown>): Plant {
  const { id } = item;
  if (typeof id !== 'bigint') throw new Error('A stored plant has no valid id.');
  // Assigning is four times faster than Object.fromEntries, which counts in a list of 1000.
  const plant = { id } as Plant;
  for (const field of fieldNames) {
    const value = item[field] ?? v.getDefault(fields[field]);
    if (typeof value !== 'string') throw new Error(`The stored plant ${id} has no valid ${field}.`);
    plant[field] = value;
  }
  return plant;
}
