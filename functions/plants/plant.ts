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

/** An int64, from text or from a JSON number that was read without loss. */
const idRange = [
  v.minValue<bigint, bigint, string>(smallestId, `must be at least ${smallestId}`),
  v.maxValue<bigint, bigint, string>(largestId, `must be at most ${largestId}`),
] as const;

export const plantId = v.pipe(v.bigint('must be an integer'), ...idRange);

/** An id as a path spells it: in one way only, so that a plant has one URL. */
export const plantIdInPath = v.pipe(
  v.string(),
  v.regex(/^(?:0|-?[1-9][0-9]{0,18})$/, 'must be an integer in canonical decimal digits, like 7 or -7'),
  v.transform((digits) => BigInt(digits)),
  ...idRange,
);

// With the flag u a dot is a code point, and a surrogate in Cs is a lone one.
const text = (shape: RegExp, length: string) =>
  v.pipe(
    v.string('must be a string'),
    v.regex(shape, `must be ${length} code points long`),
    v.regex(/^[^\p{Cc}\p{Cs}\uFFFD]*$/u, 'must be well-formed Unicode without control characters and without U+FFFD'),
  );

export const newPlant = v.object({
  id: plantId,
  name: text(/^.{1,200}$/su, '1 to 200'),
  tag: v.optional(text(/^.{0,100}$/su, '0 to 100'), ''),
});
