import * as v from 'valibot';
import { id } from './item.ts';

/** An id as a path spells it: in one way only, so that an item has one URL. */
export const idInPath = v.pipe(
  v.string(),
  v.regex(/^(?:0|-?[1-9][0-9]*)$/, 'must be an integer in canonical decimal digits, like 7 or -7'),
  v.transform((digits) => BigInt(digits)),
  id,
);
