import { expect, test } from '@jest/globals';
import { type InputSchemas, readInput } from '../../functions/http/input.ts';
import { Problem } from '../../functions/http/problem.ts';
import { listQuery, newPlant, plantPath } from '../../functions/plants/plant.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// The contract tries which requests are refused, and for which of their parts.

const create = { body: newPlant };
const remove = { path: plantPath };
const list = { query: listQuery };

function problemOf(schemas: InputSchemas, event: ReturnType<typeof proxyEvent>): Problem {
  try {
    readInput(schemas, event);
  } catch (error) {
    if (error instanceof Problem) {
      return error;
    }
    throw error;
  }
  throw new Error('There was no problem.');
}

test('every fault of body and query is named, with what would be right', () => {
  const body = '{"id":"7","tag":7,"\\ud800":null,"tag":7,"a/b~c":1,"__proto__":{},"constructor":1}';
  const event = proxyEvent({ body, query: { debug: ['1'], __proto__: ['1'], limit: ['1'] } });
  expect(problemOf(create, event).faults).toEqual([
    { pointer: '/tag', detail: 'must occur only once' },
    { pointer: '/\uFFFD', detail: 'is unknown' },
    { pointer: '/a~1b~0c', detail: 'is unknown' },
    { pointer: '/__proto__', detail: 'is unknown' },
    { pointer: '/constructor', detail: 'is unknown' },
    { pointer: '/id', detail: 'must be an integer' },
    { pointer: '/name', detail: 'is required' },
    { pointer: '/tag', detail: 'must be a string' },
    { parameter: 'debug', detail: 'is unknown' },
    { parameter: 'limit', detail: 'is unknown' },
  ]);
});

test('a parameter that is called __proto__ is unknown', () => {
  const query = JSON.parse('{"__proto__":["1"],"constructor":["1"]}');
  expect(problemOf(list, proxyEvent({ query })).faults).toEqual([
    { parameter: '__proto__', detail: 'is unknown' },
    { parameter: 'constructor', detail: 'is unknown' },
  ]);
});

const length = 'must be 1 to 200 code points long';
const characters = 'must be well-formed Unicode without control characters and without U+FFFD';
test.each([
  // Lone surrogates, whole and as a part.
  { name: '"\\ud83e"', details: [characters] },
  { name: '"a\\udeb4"', details: [characters] },
  { name: '"\\udeb4\\ud83e"', details: [characters] },
  { name: '"\\u0000"', details: [characters] },
  { name: '"\\u0085"', details: [characters] },
  { name: '"\uFFFD"', details: [characters] },
  { name: '""', details: [length] },
  { name: `"${'🪴'.repeat(201)}"`, details: [length] },
  { name: `"${'\\n'.repeat(201)}"`, details: [length, characters] },
  { name: 'null', details: ['must be a string'] },
])('the faults of the name $name are $details', ({ name, details }) => {
  const event = proxyEvent({ body: `{"id":7,"name":${name}}` });
  const faults = details.map((detail) => ({ pointer: '/name', detail }));
  expect(problemOf(create, event).faults).toEqual(faults);
});

test('a name may have 200 characters of two code units each', () => {
  const name = '🪴'.repeat(200);
  const event = proxyEvent({ body: `{"id":-0,"name":"${name}"}` });
  expect(readInput(create, event).body).toEqual({ id: 0n, name, tag: '' });
});

test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['-9223372036854775809', 'must be at least -9223372036854775808'],
  ['1.5', 'must be an integer'],
  ['1e400', 'must be at most 9223372036854775807'],
  ['"7"', 'must be an integer'],
])('the fault of the id %s in a body is that it %s', (id, detail) => {
  const event = proxyEvent({ body: `{"id":${id},"name":"a"}` });
  expect(problemOf(create, event).faults).toEqual([{ pointer: '/id', detail }]);
});

const canonical =
  'must be an integer in canonical decimal digits, like 7 or -7, and at most 19 of them';
test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['-9223372036854775809', 'must be at least -9223372036854775808'],
  ['10000000000000000000', canonical],
  ['07', canonical],
  ['-0', canonical],
  ['%', canonical],
  // Decoded once.
  ['%2537', canonical],
])('the fault of the id %s in a path is that it %s', (id, detail) => {
  const event = proxyEvent({ pathParameters: { id }, query: { id: ['7'] } });
  expect(problemOf(remove, event).faults).toEqual([
    { parameter: 'id', detail },
    { parameter: 'id', detail: 'is unknown' },
  ]);
});

test.each([
  ['%37', 7n],
  ['%2D7', -7n],
  ['-9223372036854775808', -(2n ** 63n)],
])('the id %s in a path is %s', (id, expected) => {
  const event = proxyEvent({ pathParameters: { id } });
  expect(readInput(remove, event).path).toEqual({ id: expected });
});

test.each<[limit: unknown, detail: string]>([
  [null, 'must be given only once'],
  [[], 'must be given only once'],
  [['1', '1'], 'must be given only once'],
  [['0'], 'must be at least 1'],
  [['2147483648'], 'must be at most 2147483647'],
  [['7x'], canonical],
  [['x7'], canonical],
])('the fault of a limit whose values are %j is that it %s', (limit, detail) => {
  const event = proxyEvent({ query: { limit } as never });
  expect(problemOf(list, event).faults).toEqual([{ parameter: 'limit', detail }]);
});

test.each<[what: string, given: Parameters<typeof proxyEvent>[0], detail: string]>([
  ['nothing', {}, 'must be a JSON object, but there is no body'],
  ['a byte order mark', { body: '\uFEFF{}' }, 'must not begin with a byte order mark'],
  ['an array', { body: '[]' }, 'must be a JSON object'],
  ['Latin-1 in base64', { body: '6Q==', isBase64Encoded: true }, 'is not well-formed UTF-8'],
])('a body of %s has one fault', (_, given, detail) => {
  const { faults } = problemOf(create, proxyEvent(given));
  expect(faults).toEqual([{ pointer: '', detail }]);
});

test.each([
  '{',
  '{"id":1,}',
  '🪴'.repeat(4000),
  `a${'🪴'.repeat(4000)}`,
  `{"id":1,"name":"${'🪴'.repeat(3000)}" 7}`,
  '"\u0000"',
])('a body that is not JSON has one fault, which is short and well-formed: %j', (body) => {
  const { faults } = problemOf(create, proxyEvent({ body }));
  const detail = expect.stringMatching(/^is not well-formed JSON: .{1,120}$/su);
  expect(faults).toEqual([{ pointer: '', detail }]);
  expect(faults[0]?.detail.isWellFormed()).toBe(true);
});

const type = { header: 'Content-Type', detail: 'must be application/json' };
const encoding = { header: 'Content-Encoding', detail: 'must not be sent' };
test.each([
  [{ 'content-type': ['application/json'], 'CONTENT-TYPE': ['application/json'] }, [type]],
  [{ 'Content-ENCODING': ['gzip'] }, [type, encoding]],
  [null as never, [type]],
])('the headers %j get 415, even if the body is too large', (headers, faults) => {
  const event = { ...proxyEvent({ body: 'x'.repeat(20_000) }), multiValueHeaders: headers };
  const problem = problemOf(create, event);
  expect(problem).toMatchObject({ code: 'unsupported-media-type', faults });
});
