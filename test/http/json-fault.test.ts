import { expect, test } from '@jest/globals';
import { findJsonFault } from '../../functions/http/json-fault.ts';
import { badBodies } from '../contract/cases/bad-bodies.ts';

test.each<[text: string, line: number, column: number]>([
  ['', 1, 1],
  [' ', 1, 2],
  ['{', 1, 2],
  ['{"id":1', 1, 8],
  ['{"id":1,}', 1, 9],
  ['{,"id":1}', 1, 2],
  ['{"id":1 "name":"a"}', 1, 9],
  ['{"id" 1}', 1, 7],
  ['{"id":,"name":"a"}', 1, 7],
  ['{id:1}', 1, 2],
  ['{"id":01}', 1, 8],
  ['{"id":1.}', 1, 8],
  ['{"id":tru}', 1, 7],
  ['{"id":1}x', 1, 9],
  ['{"id":1}}', 1, 9],
  ['[1,2}', 1, 5],
  ['{"a":[1,{"b":2},]}', 1, 17],
  ['{"name":"a', 1, 9],
  ['{"name":"a\nb"}', 1, 9],
  ['{"name":"\\x"}', 1, 9],
  ['{"name":"\\u12"}', 1, 9],
  ['{\n  "id": 1,\r\n  "name": plant\n}', 3, 11],
  ['{"name":"🪴🪴" 7}', 1, 14],
])('%j stops being JSON at line %i, column %i', (text, line, column) => {
  expect(findJsonFault(text)).toEqual({ line, column });
});

const malformed = badBodies.flatMap(([, body]) => (isJson(`${body}`) ? [] : [`${body}`]));

test('a text is the beginning of some JSON up to its fault, and no further', () => {
  expect(malformed).not.toEqual([]);
  for (const text of malformed) {
    const { line, column } = findJsonFault(text);
    const lines = text.split('\n');
    const last = [...`${lines[line - 1]}`].slice(0, column - 1).join('');
    const before = [...lines.slice(0, line - 1), last].join('\n');
    expect([text, findJsonFault(before)]).toEqual([text, { line, column }]);
  }
});

test('all of a text that is JSON is read', () => {
  for (const [, body] of badBodies) {
    const text = `${body}`;
    if (isJson(text)) expect(findJsonFault(text)).toEqual(findEnd(text));
  }
});

function findEnd(text: string) {
  const lines = text.split('\n');
  return { line: lines.length, column: [...`${lines.at(-1)}`].length + 1 };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
