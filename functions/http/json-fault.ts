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

const value = { '{': 'first name', '[': 'first item', '"': 'end', '0': 'end' };

/**
 * The characters that may come next, and what is expected after each, by what is expected now. The
 * rows `[` and `{` apply after a value in a list or an object.
 */
const grammar: Record<string, Record<string, string>> = {
  value,
  'first item': { ...value, ']': 'end' },
  'first name': { '"': 'colon', '}': 'end' },
  name: { '"': 'colon' },
  colon: { ':': 'value' },
  '[': { ',': 'value', ']': 'end' },
  '{': { ',': 'name', '}': 'end' },
};

/**
 * Returns where a text stops being JSON, in lines and columns from 1. The messages of `JSON.parse`
 * quote the text, and often lack the position.
 */
export function findJsonFault(text: string): { line: number; column: number } {
  const open: string[] = [];
  let expected = 'value';
  let end = 0;
  lexeme.lastIndex = 0;
  for (let match = lexeme.exec(text); match; match = lexeme.exec(text)) {
    const kind = tokenKindOf(match[0]);
    if (kind !== ' ') {
      // After a value, what may come depends on the innermost list or object that is open.
      const row = expected === 'end' ? open.at(-1) : expected;
      const next = grammar[`${row}`]?.[kind];
      if (next === undefined) {
        break;
      }
      if (kind === '{' || kind === '[') {
        open.push(kind);
      }
      if (kind === '}' || kind === ']') {
        open.pop();
      }
      expected = next;
    }
    end = lexeme.lastIndex;
  }
  const lines = text.slice(0, end).split('\n');
  return { line: lines.length, column: [...`${lines.at(-1)}`].length + 1 };
}

/** Returns the character for a lexeme: its first, `0` for a number or word, or a space. */
function tokenKindOf([first = '']: string): string {
  if ('{}[]:,"'.includes(first)) {
    return first;
  }
  return ' \t\n\r'.includes(first) ? ' ' : '0';
}
