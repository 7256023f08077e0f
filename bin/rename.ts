// Renames what the store keeps. docs/make-it-yours.md has the command.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One and many of what the store keeps, names of some and a tag. A run changes them, too. */
export const nouns = 'plant,plants';
const examples = 'Monstera,Aloe,Ficus,Fern,indoor';

const codeWords =
  /^(as|async|await|case|class|const|default|else|extends|for|from|function|i[fns]|import|interface|let|new|of|return|run|satisfies|throw|type|typeof)$/;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const wordsOf = (text: string) => text.split(/[ _-]|(?<=[a-z])(?=[A-Z])/).map(capital);
const prefix = (text: string) => `${text.charAt(0).toLowerCase()}st_`;

/** Returns what matches a noun in a name, in a sentence or in capitals. */
function form(text: string): string {
  const any = wordsOf(text).map((word) => `[${word[0]}${word[0]?.toLowerCase()}]${word.slice(1)}`);
  return `${any.join('[ _-]?')}|${wordsOf(text).join('_?').toUpperCase()}`;
}

/** Spells words as a name like what they replace, unless they stand among words of a sentence. */
function spell(words: string[], found: string, before: string, after: string): string {
  if (found === found.toUpperCase()) return words.join('_').toUpperCase();
  const beside = [/([a-z]+)\s+$/i.exec(before)?.[1], /^\s+([a-z]+)/i.exec(after)?.[1]];
  const isApart = /(^|[\s'"`(])$/.test(before) && /^([\s'"`),;:?!]|\.?$|\.\s)/.test(after);
  const inSentence = isApart && beside.some((word) => word && !codeWords.test(word));
  const isTitle = /^[A-Z]/.test(beside[1] ?? '');
  const joined = [before.at(-1), after.at(0)].find((c) => c === '-' || c === '_');
  const spelt = words.join(inSentence ? ' ' : '');
  if (/^[A-Z]/.test(found)) return isTitle || !inSentence ? spelt : capital(spelt.toLowerCase());
  if (inSentence || joined || /^[a-z]/.test(after))
    return words.join(inSentence ? ' ' : (joined ?? '')).toLowerCase();
  return spelt.charAt(0).toLowerCase() + spelt.slice(1);
}

function renamed(text: string, given: string[]): string {
  const [one = '', many = ''] = nouns.split(',');
  const pattern = `(\\b[Aa]n? )?(?:(${form(many)})(?![a-z])|${form(one)})`;
  return examples
    .split(',')
    .reduce((all, old, i) => {
      const by = (found: string) =>
        (/^[a-z]/.test(found) ? given[i + 2]?.toLowerCase() : given[i + 2]) ?? found;
      return all.replaceAll(new RegExp(old, 'gi'), by);
    }, text)
    .replaceAll(new RegExp(`\\b${prefix(one)}`, 'g'), prefix(`${given[0]}`))
    .replaceAll(new RegExp(pattern, 'g'), (match, article = '', plural, offset, whole) => {
      const found = match.slice(article.length);
      const words = wordsOf(`${given[plural ? 1 : 0]}`);
      const after = whole.slice(offset + match.length);
      const spelt = spell(words, found, whole.slice(0, offset + article.length), after);
      return (article && article[0] + (/^[aeiou]/i.test(spelt) ? 'n ' : ' ') + spelt) || spelt;
    });
}

if (import.meta.main) {
  const given = process.argv.slice(2).flatMap((argument) => argument.split(','));
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name && !/^(LICENSE|CHANGELOG\.md)$/.test(name))) {
    if (!lstatSync(file).isFile()) continue;
    const target = renamed(file, given);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(file, target);
    const text = readFileSync(target, 'utf8');
    if (!text.includes('\0')) writeFileSync(target, renamed(text, given));
  }
}
