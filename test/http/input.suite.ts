import { expect, jest, test } from '@jest/globals';
import { type InputSchemas, readInput } from '../../functions/http/input.ts';
import { Problem } from '../../functions/http/problem.ts';
import { listQuery } from '../../functions/plants/page.ts';
import { newPlant, plantPath } from '../../functions/plants/plant.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// The contract tests which requests return 400, 413 and 415, and test/plants any bodies of creates.

const create = { body: newPlant };
const remove = { path: plantPath };
const list = { query: listQuery };

function catchProblem(schemas: InputSchemas, event: ReturnType<typeof proxyEvent>): Problem {
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
const catchErrors = (schemas: InputSchemas, given: Parameters<typeof proxyEvent>[0]) =>
  catchProblem(schemas, proxyEvent(given)).errors;

test('a problem lists every error in body and query', () => {
  const body = '{"id":"7","tag":7,"\\ud800":null,"tag":7,"a/b~c":1,"__proto__":{},"constructor":1}';
  const query = { debug: ['1'], limit: ['1', '1'] };
  expect(catchErrors(create, { body, query })).toEqual([
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

const length = 'must be 1 to 200 code points long';
const characters = 'must be well-formed Unicode without control characters and without U+FFFD';
test.each([
  { name: '"\\ud83e"', details: [characters] },
  { name: `"${'🪴'.repeat(201)}"`, details: [length] },
  { name: `"${'\\n'.repeat(201)}"`, details: [length, characters] },
  { name: 'null', details: ['must be a string'] },
])('the errors in the name $name are $details', ({ name, details }) => {
  const errors = details.map((detail) => ({ pointer: '/name', detail }));
  expect(catchErrors(create, { body: `{"id":7,"name":${name}}` })).toEqual(errors);
});

test('an id in a body can have hundreds of digits', () => {
  for (const literal of [`1${'0'.repeat(400)}e-400`, `0.${'0'.repeat(400)}1e401`]) {
    const event = proxyEvent({ body: `{"id":${literal},"name":"a"}` });
    expect(readInput(create, event).body.id).toBe(1n);
  }
});

test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['-9223372036854775809', 'must be at least -9223372036854775808'],
  ['1.5', 'must be an integer'],
])('the id %s in a body %s', (id, detail) => {
  const errors = [{ pointer: '/id', detail }];
  expect(catchErrors(create, { body: `{"id":${id},"name":"a"}` })).toEqual(errors);
});

test.each(['{"id":2,"id":3}', '[{"id":2,"id":3}]', '[[],{},"]"]'])(
  'members within the unknown member %s do not count',
  (value) => {
    const errors = [{ pointer: '/more', detail: 'is unknown' }];
    expect(catchErrors(create, { body: `{"more":${value},"id":1,"name":"a"}` })).toEqual(errors);
  },
);

const canonical = 'must be an integer like 7 or -7, with at most 19 digits and no leading zeros';
test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['07', canonical],
  ['%', canonical],
])('the id %s in a path %s', (id, detail) => {
  expect(catchErrors(remove, { pathParameters: { id }, query: { id: ['7'] } })).toEqual([
    { parameter: 'id', detail },
    { parameter: 'id', detail: 'is unknown' },
  ]);
});

test.each([
  ['limit', ['1', '1'], 'must occur only once'],
  ['limit', ['0'], 'must be at least 1'],
  ['limit', ['2147483648'], 'must be at most 2147483647'],
  ['limit', ['7x'], canonical],
  ['cursor', ['x'], 'must be a cursor from a Link header'],
])('a %s with the values %j %s', (parameter, values, detail) => {
  expect(catchErrors(list, { query: { [parameter]: values } })).toEqual([{ parameter, detail }]);
});

test.each<[what: string, given: Parameters<typeof proxyEvent>[0], detail: string]>([
  ['nothing', {}, 'must be a JSON object, but there is no body'],
  ['a byte order mark', { body: '\uFEFF{}' }, 'must not begin with a byte order mark'],
  ['an array', { body: '[{}]' }, 'must be a JSON object'],
  ['null', { body: 'null' }, 'must be a JSON object'],
  ['a number', { body: '7' }, 'must be a JSON object'],
  ['Latin-1 in base64', { body: '6Q==', isBase64Encoded: true }, 'is not well-formed UTF-8'],
])('a body of %s has one error', (_, given, detail) => {
  expect(catchErrors(create, given)).toEqual([{ pointer: '', detail }]);
});

test.each([
  ['an open brace', '{'],
  ['emoji', '🪴'.repeat(4000)],
  ['emoji after a letter', `a${'🪴'.repeat(4000)}`],
  ['a long name', `{"id":1,"name":"${'🪴'.repeat(3000)}" 7}`],
])('a body that is not JSON has one error, which is short and well-formed: %s', (_, body) => {
  const errors = catchErrors(create, { body });
  const detail = expect.stringMatching(/^is not well-formed JSON: .{1,120}$/su);
  expect(errors).toEqual([{ pointer: '', detail }]);
  expect(errors[0]?.detail.isWellFormed()).toBe(true);
});

test('a bug in the parsing of a body is no error of the request', () => {
  jest.spyOn(JSON, 'parse').mockImplementationOnce(() => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  expect(() => readInput(create, proxyEvent({ body: '{}' }))).toThrow(RangeError);
});

const type = { header: 'Content-Type', detail: 'must be application/json' };
const encoding = { header: 'Content-Encoding', detail: 'must not be sent' };
test.each([
  [{ 'content-type': ['application/json'], 'CONTENT-TYPE': ['application/json'] }, [type]],
  [{ 'Content-ENCODING': ['gzip'] }, [type, encoding]],
  // The test button of API Gateway's console sends no headers.
  [null as never, [type]],
])('the headers %j return 415, even if the body is too large', (headers, errors) => {
  const event = { ...proxyEvent({ body: 'x'.repeat(20_000) }), multiValueHeaders: headers };
  const problem = catchProblem(create, event);
  expect(problem).toMatchObject({ code: 'unsupported-media-type', errors });
});
