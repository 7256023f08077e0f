import { type Names, names, wordsOf } from './names.ts';
import { type Kind, sectionsOf } from './prose.ts';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What a match is to be replaced with. A proper name keeps the capitals that it was given. */
interface Replacement {
  words: string[];
  given: string;
  isProperName: boolean;
}

/** Where a match stands. */
interface Place {
  kind: Kind;
  found: string;
  before: string;
  after: string;
}

/** Matches a noun by itself and as a part of other names, but not in `planted`. */
function patternOf(noun: string): string {
  const start = String.raw`(?:(?<![A-Za-z])|(?<=(?<!\\)\\[bnrt]))`;
  return `${start}${noun}(?![a-z])|${capital(noun)}(?![a-z])|${noun.toUpperCase()}(?![A-Z])`;
}

/** The spaces between an article and its noun, across lines, and what opens a quote. */
const gap = String.raw`\s+(?:(?:\*|\/\/|#)\s+)?["'\`*_]?`;

function makePattern(): RegExp {
  const all = [names.plural, names.name, ...names.examples, names.tag];
  const patterns = all.map((one) => patternOf(one.toLowerCase())).join('|');
  return new RegExp(`(?:\\b(?<article>[Aa]n?)(?<gap>${gap}))?(?<noun>${patterns})`, 'g');
}

const pattern = makePattern();
/** The first letter of the noun begins an access token. */
const prefix = new RegExp(`\\b${names.name.charAt(0)}st_`, 'g');

/** Returns the article that a word has by its sound. */
export function articleOf(word: string): 'a' | 'an' {
  const soundsLikeAConsonant = /^(?:uni(?!n|m)|us[aeu]|uti|eu|ewe|ubi|url|once|one(?![a-z]))/i;
  const isSilent = /^(?:hono|hour|heir|honest)/i;
  if (isSilent.test(word)) {
    return 'an';
  }
  return /^[aeiou]/i.test(word) && !soundsLikeAConsonant.test(word) ? 'an' : 'a';
}

function replacementOf(found: string, given: Names): Replacement {
  const noun = found.toLowerCase();
  const example = names.examples.findIndex((one) => one.toLowerCase() === noun);
  const replacement = (text: string, isProperName: boolean): Replacement => ({
    words: wordsOf(text),
    given: text,
    isProperName,
  });
  if (example >= 0) {
    return replacement(given.examples[example] ?? found, true);
  }
  if (noun === names.plural) {
    return replacement(given.plural, false);
  }
  if (noun === names.name) {
    return replacement(given.name, false);
  }
  return replacement(given.tag, false);
}

/** Returns whether a word stands by itself, as in a sentence, and not in a name or a path. */
function standsAlone({ kind, found, before, after }: Place): boolean {
  const isScript = /\bnpm run (?:-s )?$/.test(before);
  if (kind === 'code' || isScript) {
    return false;
  }
  const isAfterEscape = /(?<!\\)\\[bnrt]$/.test(before);
  const touchesName =
    (/[\w$/\\=.@{}+-]$/.test(before) && !isAfterEscape) || /^(?:[\w$/\\={]|[.:-]\w)/.test(after);
  if (touchesName) {
    return false;
  }
  // Within a sentence, `Plants` is the name of the table.
  if (/^[A-Z][a-z]/.test(found) && !isTitle(after) && !beginsSentence(kind, before, after)) {
    return false;
  }
  if (kind === 'prose') {
    return true;
  }
  const touchesBracket = /[[(]$/.test(before) || /^[[(]/.test(after);
  const touchesSpace = /\s$/.test(before) || /^(?:['’]s|[.,:;!?)])?\s/.test(after);
  return touchesSpace && !touchesBracket;
}

/** Returns whether a word is a part of the product's name. */
const isTitle = (after: string): boolean => /^ Store\b/.test(after);

function beginsSentence(kind: Kind, before: string, after: string): boolean {
  const isFirst = /(?:^|[.!?:]\s+(?:(?:\*|\/\/|#)\s+)?|\n\s*|[`'"[(|]\s*|(?:\*|\/\/|#|>|-)\s+)$/;
  const goesOn = kind === 'prose' || /^(?:['’]s)? [a-z]/.test(after);
  return isFirst.test(before) && goesOn;
}

/** Spells words like what they replace. */
function spell(place: Place, { words, given, isProperName }: Replacement): string {
  const { found, before, after, kind } = place;
  const isCapital = /^[A-Z]/.test(found);
  const isShouted = found.length > 1 && found === found.toUpperCase();
  const joint = /[\w](-|_)$/.exec(before)?.[1] ?? /^(-|_)\w/.exec(after)?.[1];
  const touchesWord = /[A-Za-z0-9$]$/.test(before) || /^[A-Za-z0-9$]/.test(after);
  const isInProse = kind !== 'code' && !touchesWord && joint === undefined;
  if (isProperName && isInProse && isCapital && !isShouted) {
    return given;
  }
  if (standsAlone(place)) {
    if (isShouted) {
      return words.join(' ').toUpperCase();
    }
    if (isCapital && isTitle(after)) {
      return words.map(capital).join(' ');
    }
    return isCapital ? capital(words.join(' ')) : words.join(' ');
  }
  if (isShouted) {
    return words.join('_').toUpperCase();
  }
  if (isCapital) {
    return words.map(capital).join('');
  }
  if (joint) {
    return words.join(joint);
  }
  return words.map((word, i) => (i === 0 ? word : capital(word))).join('');
}

/** Returns a file's text with other names. */
export function renamed(path: string, content: string, given: Names): string {
  const sections = sectionsOf(path, content);
  let section = 0;
  let end = sections[0]?.text.length ?? 0;
  const kindAt = (at: number): Kind => {
    while (at >= end && section + 1 < sections.length) {
      section += 1;
      end += sections[section]?.text.length ?? 0;
    }
    return sections[section]?.kind ?? 'code';
  };
  return renamedText(content, given, kindAt).replaceAll(
    prefix,
    `${given.name.charAt(0).toLowerCase()}st_`,
  );
}

/** Returns a path with other names. */
export const renamedPath = (path: string, given: Names): string =>
  renamedText(path, given, () => 'code');

/** How far a place is looked at. */
const edge = 40;

function renamedText(text: string, given: Names, kindAt: (at: number) => Kind): string {
  return text.replaceAll(pattern, (...match) => {
    const groups: Record<'noun' | 'article' | 'gap', string | undefined> = match.at(-1);
    const { noun: found = '', article, gap } = groups;
    const start: number = match.at(-3) + match[0].length - found.length;
    const place: Place = {
      kind: kindAt(start),
      found,
      before: text.slice(Math.max(0, start - edge), start),
      after: text.slice(start + found.length, start + found.length + edge),
    };
    const spelled = spell(place, replacementOf(found, given));
    if (article === undefined) {
      return spelled;
    }
    const other = articleOf(spelled);
    return (/^A/.test(article) ? capital(other) : other) + gap + spelled;
  });
}
