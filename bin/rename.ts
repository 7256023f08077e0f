import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What is renamed: one, many, the names of four and a tag. A run changes them here, too. */
export const names = 'plant,plants,Monstera,Aloe,Ficus,Fern,indoor'.split(',');

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const small = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const wordsOf = (text = '') => text.split(/[ _-]|(?<=[a-z])(?=[A-Z])/).map(capital);

function patternOf(noun = ''): string {
  const any = wordsOf(noun).map((word) => `[${word[0]}${small(word)[0]}]${word.slice(1)}`);
  return `${any.join('[ _-]?')}|${wordsOf(noun).join('_?').toUpperCase()}`;
}

/** Returns whether a text ends in a comment or in a page's sentence, where words stand apart. */
function isProse(text: string): boolean {
  const [line = '', paragraph = ''] = [/.*$/.exec(text)?.[0], text.split('\n\n').at(-1)];
  const isPage = /^# /.test(text) && text.split(/```|<!--/).length % 2 === 1 && line[0] !== '|';
  const isQuoted = paragraph.split('`').length % 2 === 0 || /\[[^\]]*$/.test(paragraph);
  return (isPage || /^\s*(\/\/|\/?\*|#)/.test(line)) && !isQuoted && /(^|[\s("'])$/.test(text);
}

/** Spells words like what they replace. */
function spell(words: string[], found: string, before: string, after: string): string {
  if (found === found.toUpperCase()) return words.join('_').toUpperCase();
  const isSentence = /^ [a-z]/.test(after) && (isProse(before) || /["']$/.test(before));
  if (/^[A-Z]/.test(found) && isSentence) return capital(words.join(' ').toLowerCase());
  if (/^[A-Z]/.test(found)) return words.join(/^ Store\b/.test(after) ? ' ' : '');
  const joint = /\w([-_])$/.exec(before)?.[1] ?? /^[-_]/.exec(after)?.[0];
  if (joint || /^[a-z]/.test(after)) return words.join(joint ?? '').toLowerCase();
  if (isProse(before) && !/^([\w/(:]|\.\w)/.test(after)) return words.join(' ').toLowerCase();
  return small(words.join(''));
}

function renamed(text: string, given: string[]): string {
  const [one, many, ...examples] = names;
  const noun = new RegExp(`(?:(${patternOf(many)})(?![a-z])|${patternOf(one)})`, 'g');
  const of = (found: string) => given[names.map(small).indexOf(small(found))] ?? found;
  const article = /^[aeiou]/i.test(`${given[0]}`) ? '$1n ' : '$1 ';
  return text
    .replaceAll(new RegExp(`\\b${one?.[0]}st_`, 'g'), `${given[0]?.[0]}st_`)
    .replaceAll(new RegExp(examples.join('|'), 'gi'), (found) =>
      found === small(found) ? small(of(found)) : of(found),
    )
    .replaceAll(noun, (found, plural, at, all) =>
      spell(wordsOf(given[plural ? 1 : 0]), found, all.slice(0, at), all.slice(at + found.length)),
    )
    .replaceAll(new RegExp(`\\b([Aa])n? (?=${patternOf(given[0])})`, 'g'), article);
}

if (import.meta.main) {
  const given = process.argv.slice(2).flatMap((argument) => argument.split(','));
  const list = ['ls-files', '.', ':!LICENSE', ':!CHANGELOG.md'];
  for (const file of execFileSync('git', list, { encoding: 'utf8' }).trim().split('\n')) {
    const target = renamed(file, given);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(file, target);
    writeFileSync(target, renamed(readFileSync(target, 'utf8'), given));
  }
}
