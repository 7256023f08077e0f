import { expect, jest, test } from '@jest/globals';
import { type InputSchemas, parseInput } from '../../functions/http/input.ts';
import { Problem } from '../../functions/http/problem.ts';
import { listQuery } from '../../functions/plants/page.ts';
import { newPlant, plantPath } from '../../functions/plants/plant.ts';
import { makeBody } from '../support/plant.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// The contract tests which requests return 400, 413 and 415, and test/plants any bodies of creates.

const create = { body: newPlant };
const remove = { path: plantPath };
const list = { query: listQuery };

const integer = 'must be an integer like 7 or -7, with at most 19 digits and no leading zeros';
const codePoints = 'must be 1 to 200 code points long';
const unicode = 'must be well-formed Unicode without control characters and without U+FFFD';

const name = (detail: string) => ({ pointer: '/name', detail });
const id = (detail: string) => ({ pointer: '/id', detail });
const parameter = (name: string, detail: string) => ({ parameter: name, detail });
const wholeBody = (detail: unknown) => ({ pointer: '', detail });
const more = { pointer: '/more', detail: 'is unknown' };

function findErrors(schemas: InputSchemas, given: Parameters<typeof proxyEvent>[0]): unknown {
  try {
    return parseInput(schemas, proxyEvent(given));
  } catch (error) {
    return error instanceof Problem ? error.errors : error;
  }
}

test.each([
  [makeBody(7, '\ud83e'), [name(unicode)]],
  [makeBody(7, '🪴'.repeat(201)), [name(codePoints)]],
  [makeBody(7, '\n'.repeat(201)), [name(codePoints), name(unicode)]],
  [makeBody(7, 'NAME').replace('"NAME"', 'null'), [name('must be a string')]],
  [makeBody('9223372036854775808'), [id('must be at most 9223372036854775807')]],
  [makeBody('-9223372036854775809'), [id('must be at least -9223372036854775808')]],
  [makeBody('1.5'), [id('must be an integer')]],
  [makeBody('1,"more":{"id":2,"id":3}'), [more]],
  [makeBody('1,"more":[{"id":2,"id":3}]'), [more]],
  [makeBody(1).replace('{', '{"more":[[],{},"]"],'), [more]],
  ['\uFEFF{}', [wholeBody('must not begin with a byte order mark')]],
  ['[{}]', [wholeBody('must be a JSON object')]],
  ['7', [wholeBody('must be a JSON object')]],
])('the errors of the body %s', (body, errors) => {
  expect(findErrors(create, { body })).toEqual(errors);
});

test('a create without a body, or with one that is not UTF-8, has one error', () => {
  const missing = wholeBody('must be a JSON object, but there is no body');
  expect(findErrors(create, {})).toEqual([missing]);
  const latin1 = { body: '6Q==', isBase64Encoded: true };
  expect(findErrors(create, latin1)).toEqual([wholeBody('is not well-formed UTF-8')]);
});

test('a problem lists every error of a body and a query', () => {
  const body = '{"id":"7","tag":7,"\\ud800":null,"tag":7,"a/b~c":1,"__proto__":{},"constructor":1}';
  const query = { debug: ['1'], limit: ['1', '1'] };
  expect(findErrors(create, { body, query })).toEqual([
    { pointer: '/tag', detail: 'must occur only once' },
    { pointer: '/\ufffd', detail: 'is unknown' },
    { pointer: '/a~1b~0c', detail: 'is unknown' },
    { pointer: '/__proto__', detail: 'is unknown' },
    { pointer: '/constructor', detail: 'is unknown' },
    id('must be an integer'),
    name('is required'),
    { pointer: '/tag', detail: 'must be a string, or left out' },
    parameter('limit', 'must occur only once'),
    parameter('debug', 'is unknown'),
    parameter('limit', 'is unknown'),
  ]);
});

test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['07', integer],
  ['%', integer],
])('the errors of the id %s in a path, with another id in the query', (pathId, detail) => {
  const given = { pathParameters: { id: pathId }, query: { id: ['7'] } };
  const errors = [parameter('id', detail), parameter('id', 'is unknown')];
  expect(findErrors(remove, given)).toEqual(errors);
});

test.each([
  { query: { limit: ['1', '1'] }, error: parameter('limit', 'must occur only once') },
  { query: { limit: ['0'] }, error: parameter('limit', 'must be at least 1') },
  { query: { limit: ['2147483648'] }, error: parameter('limit', 'must be at most 2147483647') },
  { query: { limit: ['7x'] }, error: parameter('limit', integer) },
  { query: { cursor: ['x'] }, error: parameter('cursor', 'must be a cursor from a Link header') },
])('the error of the query $query', ({ query, error }) => {
  expect(findErrors(list, { query })).toEqual([error]);
});

test('an id in a body can have hundreds of digits', () => {
  for (const literal of [`1${'0'.repeat(400)}e-400`, `0.${'0'.repeat(400)}1e401`]) {
    const event = proxyEvent({ body: makeBody(literal) });
    expect(parseInput(create, event).body.id).toBe(1n);
  }
});

test.each([
  ['an open brace', '{'],
  ['emoji after a letter', `a${'🪴'.repeat(4000)}`],
  ['a long name', `{"id":1,"name":"${'🪴'.repeat(3000)}" 7}`],
])('a body that is not JSON has one error, which is short and well-formed: %s', (_, body) => {
  const detail = expect.stringMatching(/^is not well-formed JSON: \P{Cs}{1,120}$/u);
  expect(findErrors(create, { body })).toEqual([wholeBody(detail)]);
});

test('a bug in the parsing of a body is no error of the request', () => {
  jest.spyOn(JSON, 'parse').mockImplementationOnce(() => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  expect(() => parseInput(create, proxyEvent({ body: '{}' }))).toThrow(RangeError);
});

const type = { header: 'Content-Type', detail: 'must be application/json' };
const encoding = { header: 'Content-Encoding', detail: 'must not be sent' };
test.each([
  [{ 'content-type': ['application/json'], 'CONTENT-TYPE': ['application/json'] }, [type]],
  [{ 'Content-ENCODING': ['gzip'] }, [type, encoding]],
  // The test button of API Gateway's console sends no headers.
  [null as never, [type]],
])('the headers %j return 415, even if the body is too large', (headers, errors) => {
  expect(findErrors(create, { headers, body: 'x'.repeat(20_000) })).toEqual(errors);
});
