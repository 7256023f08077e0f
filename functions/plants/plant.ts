import * as v from 'valibot';

export interface Plant {
  id: bigint;
  name: string;
  tag: string;
}

/** What a client gets to see of a plant. */
export const publicPlant = ({ name, tag }: Pick<Plant, 'name' | 'tag'>) => ({ name, tag });

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

// With the flag u a dot is a code point, and a surrogate in Cs is a lone one.
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

export const newPlant = v.object({
  id: plantId,
  name: text(1, 200),
  tag: v.optional(text(0, 100), ''),
});
