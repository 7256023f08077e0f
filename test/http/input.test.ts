import { expect, test } from '@jest/globals';
import { type InputSchema, readInput } from '../../functions/http/input.ts';
import { Problem } from '../../functions/http/problem.ts';
import { optional, required } from '../../functions/items/fields.ts';
import { id } from '../../functions/items/item.ts';
import { text } from '../../functions/items/kinds.ts';
import { createPlantInput } from '../../functions/plants/create.ts';
import { deletePlantInput } from '../../functions/plants/delete.ts';
import { listPlantsInput } from '../../functions/plants/list.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// The contract tries which requests are refused, and for which of their parts.

function problemOf(schema: InputSchema, event: ReturnType<typeof proxyEvent>): Problem {
  try {
    readInput(schema, event);
  } catch (error) {
    if (error instanceof Problem) {
      return error;
    }
  }
  throw new Error('There was no problem.');
}

test('every fault of body and query is named, with what would be right', () => {
  const schema = { body: { id, name: required(text(1, 9)), tag: optional(text(0, 9), '') } };
  const body = '{"id":"7","tag":7,"\\ud800":null,"tag":7,"a/b~c":1}';
  const event = proxyEvent({ body, query: { debug: ['1'], limit: ['1'] } });
  expect(problemOf(schema, event).faults).toEqual([
    { pointer: '/tag', detail: 'must occur only once' },
    { pointer: '/\uFFFD', detail: 'is unknown' },
    { pointer: '/a~1b~0c', detail: 'is unknown' },
    { pointer: '/id', detail: 'must be an integer' },
    { pointer: '/name', detail: 'is required' },
    { pointer: '/tag', detail: 'must be a string' },
    { parameter: 'debug', detail: 'is unknown' },
    { parameter: 'limit', detail: 'is unknown' },
  ]);
});

const canonical = 'must be an integer in canonical decimal digits, like 7 or -7';
test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['-9223372036854775809', 'must be at least -9223372036854775808'],
  ['07', canonical],
  ['%', canonical],
  // Decoded once.
  ['%2537', canonical],
])('the fault of the id %s in a path is that it %s', (id, detail) => {
  const event = proxyEvent({ pathParameters: { id }, query: { id: ['7'] } });
  expect(problemOf(deletePlantInput, event).faults).toEqual([
    { parameter: 'id', detail },
    { parameter: 'id', detail: 'is unknown' },
  ]);
});

const tooLarge = /^must be (at most 2147483647|an integer in canonical)/;
test.each<[limit: unknown, detail: RegExp]>([
  [null, /^must be a string$/],
  ...[[], ['1', '1']].map((many): [unknown, RegExp] => [many, /^must be given only once$/]),
  [['0'], /^must be at least 1$/],
  ...['2147483648', '99999999999', '7x', 'x7'].map((one): [unknown, RegExp] => [[one], tooLarge]),
])('the fault of a limit whose values are %j is that it %s', (limit, detail) => {
  const event = proxyEvent({ query: { limit } as never });
  const faults = [{ parameter: 'limit', detail: expect.stringMatching(detail) }];
  expect(problemOf(listPlantsInput, event).faults).toEqual(faults);
});

test.each<[what: string, given: Parameters<typeof proxyEvent>[0], detail: string]>([
  ['nothing', {}, 'must be a JSON object, but there is no body'],
  ['a byte order mark', { body: '\uFEFF{}' }, 'must not begin with a byte order mark'],
  ['an array', { body: '[]' }, 'must be a JSON object'],
  ['half of an object', { body: '{' }, 'is not well-formed JSON at line 1, column 2'],
  ['Latin-1 in base64', { body: '6Q==', isBase64Encoded: true }, 'is not well-formed UTF-8'],
])('a body of %s has one fault', (_, given, detail) => {
  const { faults } = problemOf(createPlantInput, proxyEvent(given));
  expect(faults).toEqual([{ pointer: '', detail }]);
});

const type = { header: 'Content-Type', detail: 'must be application/json' };
const encoding = { header: 'Content-Encoding', detail: 'must not be sent' };
test.each([
  [{ 'content-type': ['application/json'], 'CONTENT-TYPE': ['application/json'] }, [type]],
  [{ 'Content-ENCODING': ['gzip'] }, [type, encoding]],
  ...[null, undefined, false, 0, ''].map((none) => [none as never, [type]] as const),
])('the headers %j get 415, even if the body is too large', (headers, faults) => {
  const event = { ...proxyEvent({ body: 'x'.repeat(20_000) }), multiValueHeaders: headers };
  const problem = problemOf(createPlantInput, event);
  expect(problem).toMatchObject({ code: 'unsupported-media-type', faults });
});

test.each([0, {}, [], true])('a body that is %p, and no text, is no body', (body) => {
  const [fault] = problemOf(createPlantInput, { ...proxyEvent(), body } as never).faults;
  expect(fault?.detail).toContain('there is no body');
});
