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

const withId = (literal: string) => ({ body: `{"id":${literal},"name":"a"}` });
const withName = (literal: string) => ({ body: `{"id":7,"name":${literal}}` });
const withMore = (literal: string) => ({ body: `{"more":${literal},"id":1,"name":"a"}` });
const withPath = (id: string) => ({ pathParameters: { id }, query: { id: ['7'] } });
test.each<[what: string, schemas: InputSchemas, given: Parameters<typeof proxyEvent>[0]]>([
  [
    'a body and a query',
    create,
    {
      body: '{"id":"7","tag":7,"\\ud800":null,"tag":7,"a/b~c":1,"__proto__":{},"constructor":1}',
      query: { debug: ['1'], limit: ['1', '1'] },
    },
  ],
  ['a name with half a character', create, withName('"\\ud83e"')],
  ['a name of 201 code points', create, withName(`"${'🪴'.repeat(201)}"`)],
  ['a name of 201 line ends', create, withName(`"${'\\n'.repeat(201)}"`)],
  ['a name that is null', create, withName('null')],
  ['an id above the largest', create, withId('9223372036854775808')],
  ['an id below the smallest', create, withId('-9223372036854775809')],
  ['an id with a fraction', create, withId('1.5')],
  ['an unknown member with two ids', create, withMore('{"id":2,"id":3}')],
  ['an unknown member with two ids in a list', create, withMore('[{"id":2,"id":3}]')],
  ['an unknown member with brackets', create, withMore('[[],{},"]"]')],
  ['the id 9223372036854775808 in a path', remove, withPath('9223372036854775808')],
  ['the id 07 in a path', remove, withPath('07')],
  ['the id % in a path', remove, withPath('%')],
  ['two limits', list, { query: { limit: ['1', '1'] } }],
  ['the limit 0', list, { query: { limit: ['0'] } }],
  ['the limit 2147483648', list, { query: { limit: ['2147483648'] } }],
  ['the limit 7x', list, { query: { limit: ['7x'] } }],
  ['the cursor x', list, { query: { cursor: ['x'] } }],
  ['no body', create, {}],
  ['a byte order mark', create, { body: '\uFEFF{}' }],
  ['an array', create, { body: '[{}]' }],
  ['null', create, { body: 'null' }],
  ['a number', create, { body: '7' }],
  ['Latin-1 in base64', create, { body: '6Q==', isBase64Encoded: true }],
])('a problem lists every error of %s', (_, schemas, given) => {
  expect(catchProblem(schemas, proxyEvent(given)).errors).toMatchSnapshot();
});

test('an id in a body can have hundreds of digits', () => {
  for (const literal of [`1${'0'.repeat(400)}e-400`, `0.${'0'.repeat(400)}1e401`]) {
    const event = proxyEvent({ body: `{"id":${literal},"name":"a"}` });
    expect(readInput(create, event).body.id).toBe(1n);
  }
});

test.each([
  ['an open brace', '{'],
  ['emoji', '🪴'.repeat(4000)],
  ['emoji after a letter', `a${'🪴'.repeat(4000)}`],
  ['a long name', `{"id":1,"name":"${'🪴'.repeat(3000)}" 7}`],
])('a body that is not JSON has one error, which is short and well-formed: %s', (_, body) => {
  const errors = catchProblem(create, proxyEvent({ body })).errors;
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
