import { expect, test } from '@jest/globals';
import { type InputSchemas, readInput } from '../../functions/http/input.ts';
import { Problem } from '../../functions/http/problem.ts';
import { listQuery, newPlant, plantPath } from '../../functions/plants/plant.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// The contract tests which requests return 400, 413 and 415. The fuzzing tests every number.

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
const errorsOf = (schemas: InputSchemas, given: Parameters<typeof proxyEvent>[0]) =>
  problemOf(schemas, proxyEvent(given)).errors;

test('a problem lists every error in body and query', () => {
  const body = '{"id":"7","tag":7,"\\ud800":null,"tag":7,"a/b~c":1,"__proto__":{},"constructor":1}';
  const query = { debug: ['1'], limit: ['1', '1'] };
  expect(errorsOf(create, { body, query })).toEqual([
    { pointer: '/tag', detail: 'must occur only once' },
    { pointer: '/\uFFFD', detail: 'is unknown' },
    { pointer: '/a~1b~0c', detail: 'is unknown' },
    { pointer: '/__proto__', detail: 'is unknown' },
    { pointer: '/constructor', detail: 'is unknown' },
    { pointer: '/id', detail: 'must be an integer' },
    { pointer: '/name', detail: 'is required' },
    { pointer: '/tag', detail: 'must be a string, or left out' },
    { parameter: 'limit', detail: 'must occur only once' },
    { parameter: 'debug', detail: 'is unknown' },
    { parameter: 'limit', detail: 'is unknown' },
  ]);
});

test('parameters called __proto__ and constructor are unknown', () => {
  const query = JSON.parse('{"__proto__":["1"],"constructor":["1"]}');
  expect(errorsOf(list, { query })).toEqual([
    { parameter: '__proto__', detail: 'is unknown' },
    { parameter: 'constructor', detail: 'is unknown' },
  ]);
});

const length = 'must be 1 to 200 code points long';
const characters = 'must be well-formed Unicode without control characters and without U+FFFD';
test.each([
  // Lone surrogates, alone and beside other characters.
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
])('the errors in the name $name are $details', ({ name, details }) => {
  const errors = details.map((detail) => ({ pointer: '/name', detail }));
  expect(errorsOf(create, { body: `{"id":7,"name":${name}}` })).toEqual(errors);
});

test('a tag of null must be a string, or left out', () => {
  const detail = 'must be a string, or left out';
  const errors = [{ pointer: '/tag', detail }];
  expect(errorsOf(create, { body: '{"id":7,"name":"a","tag":null}' })).toEqual(errors);
});

test('a name can have 200 characters of two code units each', () => {
  const name = '🪴'.repeat(200);
  const event = proxyEvent({ body: `{"id":-0,"name":"${name}"}` });
  expect(readInput(create, event).body).toEqual({ id: 0n, name, tag: '' });
});

test.each([
  ['-0.0', 0n],
  ['0e99', 0n],
  ['100e-2', 1n],
  ['0.07e2', 7n],
  ['1E+18', 10n ** 18n],
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808.0', -(2n ** 63n)],
])('the id %s in a body is %s', (literal, id) => {
  const event = proxyEvent({ body: `{"id":${literal},"name":"a"}` });
  expect(readInput(create, event).body).toEqual({ id, name: 'a', tag: '' });
});

test('an id in a body can have hundreds of digits', () => {
  for (const literal of [`1${'0'.repeat(400)}e-400`, `0.${'0'.repeat(400)}1e401`]) {
    const event = proxyEvent({ body: `{"id":${literal},"name":"a"}` });
    expect(readInput(create, event).body.id).toBe(1n);
  }
  const errors = [{ pointer: '/id', detail: 'must be at most 9223372036854775807' }];
  expect(errorsOf(create, { body: `{"id":${'9'.repeat(5000)},"name":"a"}` })).toEqual(errors);
});

test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['-9223372036854775809', 'must be at least -9223372036854775808'],
  ['1.5', 'must be an integer'],
  ['1e-400', 'must be an integer'],
  ['1e400', 'must be at most 9223372036854775807'],
  ['-5e999999999999', 'must be at least -9223372036854775808'],
  ['"7"', 'must be an integer'],
])('the id %s in a body %s', (id, detail) => {
  const errors = [{ pointer: '/id', detail }];
  expect(errorsOf(create, { body: `{"id":${id},"name":"a"}` })).toEqual(errors);
});

test('a string that looks like JSON is only a string', () => {
  const event = proxyEvent({ body: '{"id":1,"name":"{\\"id\\":4}","tag":"\\"tag\\":1,\\\\"}' });
  const expected = { id: 1n, name: '{"id":4}', tag: '"tag":1,\\' };
  expect(readInput(create, event).body).toEqual(expected);
});

test.each([
  ['"\\u0069d":1', ['/id']],
  ['"id":2,"id":3', ['/id']],
  ['"name":"{","name":"[","id":1', ['/name', '/id']],
])('the members %s after an id and a name repeat %j', (more, pointers) => {
  const errors = pointers.map((pointer) => ({ pointer, detail: 'must occur only once' }));
  expect(errorsOf(create, { body: `{"id":1,"name":"a",${more}}` })).toEqual(errors);
});

test.each(['{"id":2,"id":3}', '[{"id":2,"id":3}]', '[[],{},"]"]'])(
  'members within the unknown member %s do not count',
  (value) => {
    const errors = [{ pointer: '/more', detail: 'is unknown' }];
    expect(errorsOf(create, { body: `{"more":${value},"id":1,"name":"a"}` })).toEqual(errors);
  },
);

const canonical = 'must be an integer like 7 or -7, with at most 19 digits and no leading zeros';
test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['-9223372036854775809', 'must be at least -9223372036854775808'],
  ['10000000000000000000', canonical],
  ['07', canonical],
  ['-0', canonical],
  ['%', canonical],
  // Decoded only once.
  ['%2537', canonical],
])('the id %s in a path %s', (id, detail) => {
  expect(errorsOf(remove, { pathParameters: { id }, query: { id: ['7'] } })).toEqual([
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
  [null, 'must occur only once'],
  [[], 'must occur only once'],
  [['1', '1'], 'must occur only once'],
  [['0'], 'must be at least 1'],
  [['2147483648'], 'must be at most 2147483647'],
  [['7x'], canonical],
  [['x7'], canonical],
])('a limit with the values %j %s', (limit, detail) => {
  expect(errorsOf(list, { query: { limit } as never })).toEqual([{ parameter: 'limit', detail }]);
});

test.each<[what: string, given: Parameters<typeof proxyEvent>[0], detail: string]>([
  ['nothing', {}, 'must be a JSON object, but there is no body'],
  ['a byte order mark', { body: '\uFEFF{}' }, 'must not begin with a byte order mark'],
  ['an array', { body: '[{}]' }, 'must be a JSON object'],
  ['null', { body: 'null' }, 'must be a JSON object'],
  ['a string', { body: '"{}"' }, 'must be a JSON object'],
  ['Latin-1 in base64', { body: '6Q==', isBase64Encoded: true }, 'is not well-formed UTF-8'],
])('a body of %s has one error', (_, given, detail) => {
  expect(errorsOf(create, given)).toEqual([{ pointer: '', detail }]);
});

test.each([
  ['an open brace', '{'],
  ['a comma at the end', '{"id":1,}'],
  ['a number with a leading zero', '{"id":01}'],
  ['a brace too many', '{"id":1}}'],
  ['a control character', '"\u0000"'],
  ['emoji', '🪴'.repeat(4000)],
  ['emoji after a letter', `a${'🪴'.repeat(4000)}`],
  ['a long name', `{"id":1,"name":"${'🪴'.repeat(3000)}" 7}`],
])('a body that is not JSON has one error, which is short and well-formed: %s', (_, body) => {
  const errors = errorsOf(create, { body });
  const detail = expect.stringMatching(/^is not well-formed JSON: .{1,120}$/su);
  expect(errors).toEqual([{ pointer: '', detail }]);
  expect(errors[0]?.detail.isWellFormed()).toBe(true);
});

const type = { header: 'Content-Type', detail: 'must be application/json' };
const encoding = { header: 'Content-Encoding', detail: 'must not be sent' };
test.each([
  [{ 'content-type': ['application/json'], 'CONTENT-TYPE': ['application/json'] }, [type]],
  [{ 'Content-ENCODING': ['gzip'] }, [type, encoding]],
  [null as never, [type]],
])('the headers %j return 415, even if the body is too large', (headers, errors) => {
  const event = { ...proxyEvent({ body: 'x'.repeat(20_000) }), multiValueHeaders: headers };
  const problem = problemOf(create, event);
  expect(problem).toMatchObject({ code: 'unsupported-media-type', errors });
});
