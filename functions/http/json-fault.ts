/** The lexemes of JSON (RFC 8259). */
const whiteSpace = /[ \t\n\r]/;
const punctuation = /[{}[\]:,]/;
const string = /"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?/;
const word = /true|false|null/;
const lexeme = new RegExp(
  [whiteSpace, punctuation, string, number, word].map(({ source }) => source).join('|'),
  'y',
);

const value = '{["0';

/**
 * Returns where a text stops being JSON, in lines and columns from 1. It repeats the work of
 * `JSON.parse` because the messages of that do not always have the position, but quote the text.
 */
export function findJsonFault(text: string): { line: number; column: number } {
  const open: string[] = [];
  const afterValue = () => ({ '{': ',}', '[': ',]' })[open.at(-1) ?? ''] ?? '';
  let expected = value;
  let end = 0;
  lexeme.lastIndex = 0;
  for (let match = lexeme.exec(text); match; match = lexeme.exec(text)) {
    const kind = kindOf(match[0]);
    if (kind !== ' ') {
      if (!expected.includes(kind)) break;
      const isName = kind === '"' && !expected.includes('0');
      if (kind === '{' || kind === '[') open.push(kind);
      if (kind === '}' || kind === ']') open.pop();
      if (kind === '{') expected = '"}';
      else if (kind === '[') expected = `${value}]`;
      else if (kind === ':') expected = value;
      else if (kind === ',') expected = open.at(-1) === '{' ? '"' : value;
      else expected = isName ? ':' : afterValue();
    }
    end = lexeme.lastIndex;
  }
  const lines = text.slice(0, end).split('\n');
  return { line: lines.length, column: [...`${lines.at(-1)}`].length + 1 };
}

/** Returns the character for a lexeme: its first, `0` for a number or word, or a space. */
function kindOf([first = '']: string): string {
  if ('{}[]:,"'.includes(first)) return first;
  return ' \t\n\r'.includes(first) ? ' ' : '0';
}
