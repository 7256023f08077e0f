// Renames what the store keeps: docs/make-it-yours.md has the command.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One, many, the names of four and a tag. A run changes them here, too. */
export const names = 'plant,plants,Monstera,Aloe,Ficus,Fern,indoor'.split(',');

const codeWords =
  /^(as|async|await|case|class|const|default|else|extends|for|from|function|i[fns]|import|interface|let|new|of|return|run|satisfies|throw|type|typeof)$/;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const small = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const wordsOf = (text = '') => text.split(/[ _-]|(?<=[a-z])(?=[A-Z])/).map(capital);
const prefix = (text = '') => `${small(text).charAt(0)}st_`;

/** Returns what matches a noun as a name, in a sentence or in capitals. */
function form(noun = ''): string {
  const any = wordsOf(noun).map((word) => `[${word[0]}${small(word)[0]}]${word.slice(1)}`);
  return `${any.join('[ _-]?')}|${wordsOf(noun).join('_?').toUpperCase()}`;
}

/** Spells words like what they replace: as a name, or apart in a sentence. */
function spell(words: string[], found: string, before: string, after: string): string {
  if (found === found.toUpperCase()) return words.join('_').toUpperCase();
  const [, next] = /^\s+([a-z]+)/i.exec(after) ?? [];
  const beside = [next, /([a-z]+)\s+$/i.exec(before)?.[1]];
  const isApart = /(^|[\s'"`(])$/.test(before) && /^([\s'"`)]|[,;:?!.]?(\s|$))/.test(after);
  const inSentence = isApart && beside.some((word) => word && !codeWords.test(word));
  if (/^[A-Z]/.test(found)) {
    if (!inSentence || !next) return words.join('');
    return /^[A-Z]/.test(next) ? words.join(' ') : capital(words.join(' ').toLowerCase());
  }
  const joint = /\w([-_])$/.exec(before)?.[1] ?? /^[-_]/.exec(after)?.[0];
  if (inSentence || joint || /^[a-z]/.test(after))
    return words.join(inSentence ? ' ' : (joint ?? '')).toLowerCase();
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
