import { words } from '../../support/words.ts';

const escaped = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
const controls = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
].map((code) => `"a${escaped(code)}b"`);
// As they are, escaped, and what was not UTF-8.
const unfit = ['"\u007F"', '"\u0085"', '"\uFFFD"', '"\\uFFFD"'];
const surrogates = words('"\\ud83e" "\\udeb4" "\\udeb4\\ud83e" "\\ud83e\\ud83e\\udeb4" "\\ud83ea"');
const texts = [
  ...controls,
  ...unfit,
  ...surrogates,
  ...words('"a\\n" "a\\t" "a\\r" "a\\b" "a\\f"'),
];
export const otherTypes = words('null true false 1 1.5 -1 1e99 "1" "" [] [1] ["a"] {} {"a":1}');

export const nest = (open: string, close: string, most: number) => {
  const depth = Math.floor(most / (open.length + close.length));
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
};

/**
 * Returns values in JSON that are no text of a plant, and texts just beyond the bounds of this one.
 * What the document says of each decides which of them are wrong.
 */
export function candidatesOf({ minLength, maxLength }: Bounds): string[] {
  return [
    ...otherTypes,
    ...texts,
    ...texts.map((literal) => `[${literal}]`),
    ...[minLength - 1, maxLength + 1, 4000]
      .filter((length) => length >= 0)
      .flatMap((length) => ['a', '🪴', '\u0301'].map((one) => `"${one.repeat(length)}"`)),
    nest('[', ']', 16_000),
    nest('{"a":', '}', 16_000),
  ];
}

/** In code points. */
interface Bounds {
  minLength: number;
  maxLength: number;
}
export const boundsOf = {
  name: { minLength: 1, maxLength: 200 },
  tag: { minLength: 0, maxLength: 100 },
};
