import { words } from '../../support/words.ts';

/** Texts for a name that an answer repeats exactly. */
export const kept: string[] = [
  // What JSON, paths, pages, queries and templates would change.
  ...['a', ' ', '  a  ', '"', '\\', '/', '\\u0041\\n', '{"id":1}', '../../plants', '%41%00%2F'],
  ...['<script>alert(1)</script>', "'; DROP TABLE plants; --", '$context.requestId #{7*7} {{7*7}}'],
  // The longest, of one to four bytes a character.
  ...['a', 'é', '葉', '🪴'].map((character) => character.repeat(200)),
  // What normal forms and case folding would change: accents, a ligature, jamo, wide letters.
  ...words('\u00E9 e\u0301 \u0301 \uFB01 ß ıİ 알로에 \u110B\u1161\u11AF Ａｌｏｅ 𝒜𝓁ℴℯ'),
  `a${'\u0301'.repeat(20)}`,
  // Scripts, also from right to left, and an override of the direction.
  ...words('Αλόη Алоэ אלוורה صبار घृतकुमारी ว่านหางจระเข้ 芦荟 アロエ \u202Eeola\u202C'),
  'Aloe אלוורה 7',
  // Emoji with a skin tone, joined, of two letters, of tags, and with a variation selector.
  ...words('👩🏽 👨‍👩‍👧‍👦 🇨🇭 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} ☘\uFE0F'),
  // Spaces and separators, some of them invisible.
  ...['\u00A0', '\u3000', '\uFEFFa'],
  ...[0xad, 0x200b, 0x200d, 0x2060, 0xfeff, 0x2028, 0x2029].map(
    (point) => `a${String.fromCodePoint(point)}b`,
  ),
  // Private use, the edges of the planes, noncharacters, and an unassigned code point.
  ...words('\uE000 \u{10FFFD} \uD7FF \uFFFE \uFFFF \uFDD0 \u{10FFFF} \u{10000} \u{E0FFF}'),
];
