import { NumberValue } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { int64 } from '../shared/int64.ts';

const plantId = v.pipe(
  v.bigint('must be an integer'),
  v.minValue(int64.min, `must be at least ${int64.min}`),
  v.maxValue(int64.max, `must be at most ${int64.max}`),
);

/** Returns the schema of a text. The lengths are in code points. */
function boundedText(minLength: number, maxLength: number, typeMessage = 'must be a string') {
  // With the u flag, a dot matches a code point and `\p{Cs}` only a lone surrogate.
  const length = new RegExp(`^.{${minLength},${maxLength}}$`, 'su');
  const characters = /^[^\p{Cc}\p{Cs}\uFFFD]*$/u;
  return v.pipe(
    v.string(typeMessage),
    v.regex(length, `must be ${minLength} to ${maxLength} code points long`),
    v.regex(
      characters,
      'must be well-formed Unicode without control characters and without U+FFFD',
    ),
    // For the document, because valibot's own lengths count UTF-16 units.
    v.metadata({ minLength, maxLength }),
  );
}

// Many JSON libraries write null for a missing value.
const tag = v.optional(boundedText(0, 100, 'must be a string, or left out'), '');

/** The body of a create. Every member of a plant stands here. */
export const newPlant = v.object({ id: plantId, name: boundedText(1, 200), tag }, 'is required');

export type Plant = v.InferOutput<typeof newPlant>;
export const plantMembers = Object.keys(newPlant.entries) as (keyof Plant)[];

export const isSamePlant = (one: Plant, other: Plant): boolean =>
  plantMembers.every((member) => one[member] === other[member]);

/** The members of a plant in responses. `Required` makes the compiler ask for optional ones too. */
export type PublicFields = Required<Omit<Plant, 'id'>>;

export const publicFields = ({ name, tag }: Plant): PublicFields => ({ name, tag });

/** An integer parameter. Only one spelling is valid, so that a plant has one URL. */
export const digits = v.pipe(
  v.string('must be a string'),
  v.regex(
    new RegExp(`^(?:0|-?[1-9][0-9]{0,${int64.maxDigits - 1}})$`),
    `must be an integer like 7 or -7, with at most ${int64.maxDigits} digits and no leading zeros`,
  ),
  v.transform((text) => BigInt(text)),
);

export const plantPath = v.object({ id: v.pipe(digits, plantId) });

/**
 * Parses a stored plant. Earlier versions stored plants without a tag. Throws if a member is
 * invalid, with a message that does not contain its value. Valibot would take four times as long,
 * which matters in a list of 1,000.
 */
export function parsePlant({ id, name, tag = '' }: Record<string, unknown>): Required<Plant> {
  if (!(id instanceof NumberValue)) {
    throw new Error('A stored plant has no valid id.');
  }
  if (typeof name !== 'string') {
    throw new Error(`The stored plant ${id} has no valid name.`);
  }
  if (typeof tag !== 'string') {
    throw new Error(`The stored plant ${id} has no valid tag.`);
  }
  return { id: id.toBigInt(), name, tag };
}
