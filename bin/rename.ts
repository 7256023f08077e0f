// Renames what the store keeps: docs/make-it-yours.md has the command.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One, many, the names of four and a tag. A run changes them here, too. */
export const names = 'plant,plants,Monstera,Aloe,Ficus,Fern,indoor'.split(',');

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const small = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const wordsOf = (text = '') => text.split(/[ _-]|(?<=[a-z])(?=[A-Z])/).map(capital);
const prefix = (text = '') => `${small(text).charAt(0)}st_`;

/** Returns what matches a noun as a name, in a sentence or in capitals. */
function form(noun = ''): string {
  const any = wordsOf(noun).map((word) => `[${word[0]}${small(word)[0]}]${word.slice(1)}`);
  return `${any.join('[ _-]?')}|${wordsOf(noun).join('_?').toUpperCase()}`;
}

/** Returns whether a text ends within a comment or a page's sentences, where words stand apart. */
function isProse(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const paragraph = text.slice(text.lastIndexOf('\n\n') + 1);
  const isPage = text.startsWith('# ') && text.split('\n```').length % 2 === 1 && line[0] !== '|';
  const isComment = /^\s*(\/\/|\/?\*|#)/.test(line);
  const isQuoted = paragraph.split('`').length % 2 === 0 || /\[[^\]]*$/.test(paragraph);
  return (isPage || isComment) && !isQuoted && /(^|[\s("'])$/.test(text);
}

/** Spells words like what they replace. */
function spell(words: string[], found: string, before: string, after: string): string {
  if (found === found.toUpperCase()) return words.join('_').toUpperCase();
  if (/^[A-Z]/.test(found)) return words.join(/^ Store\b/.test(after) ? ' ' : '');
  const joint = /\w([-_])$/.exec(before)?.[1] ?? /^[-_]/.exec(after)?.[0];
  if (joint || /^[a-z]/.test(after)) return words.join(joint ?? '').toLowerCase();
  if (isProse(before) && !/^([\w/(:]|\.\w)/.test(after)) return words.join(' ').toLowerCase();
  return small(words.join(''));
}

function renamed(text: string, given: string[]): string {
  const [one, many, ...examples] = names;
  const noun = new RegExp(`(\\b[Aa]n? )?(?:(${form(many)})(?![a-z])|${form(one)})`, 'g');
  const exampleFor = (found: string) => {
    const place = names.findIndex((name) => name.toLowerCase() === found.toLowerCase());
    return (/^[a-z]/.test(found) ? given[place]?.toLowerCase() : given[place]) ?? found;
  };
  return text
    .replaceAll(new RegExp(`\\b${prefix(one)}`, 'g'), prefix(given[0]))
    .replaceAll(new RegExp(examples.join('|'), 'gi'), exampleFor)
    .replaceAll(noun, (match, article = '', plural, offset, whole) => {
      const [start, end] = [offset + article.length, offset + match.length];
      const words = wordsOf(given[plural ? 1 : 0]);
      const by = spell(words, whole.slice(start, end), whole.slice(0, start), whole.slice(end));
      return article ? `${article[0]}${/^[aeiou]/i.test(by) ? 'n' : ''} ${by}` : by;
    });
}

if (import.meta.main) {
  const given = process.argv.slice(2).flatMap((argument) => argument.split(','));
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
  for (const file of files.filter((name) => !/^(LICENSE|CHANGELOG\.md)$/.test(name))) {
    const target = renamed(file, given);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(file, target);
    writeFileSync(target, renamed(readFileSync(target, 'utf8'), given));
  }
}
