import { expect, test } from '@jest/globals';
import { readInput } from '../../functions/http/input.ts';
import { Problem } from '../../functions/http/problem.ts';
import { createPlantInput } from '../../functions/plants/create.ts';
import { deletePlantInput } from '../../functions/plants/delete.ts';
import { listPlantsInput } from '../../functions/plants/list.ts';
import { answered } from '../support/plant.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// The middleware writes header names in lower case before the input is read.
const json = { 'content-type': ['application/json'] };
const post = (body: string | undefined, more: Parameters<typeof proxyEvent>[0] = {}) =>
  proxyEvent({ headers: json, ...(body !== undefined && { body }), ...more });

function problemOf(read: () => unknown): Problem {
  try {
    read();
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error('There was no problem.');
}
const problemOfBody = (body: string | undefined, more = {}) =>
  problemOf(() => readInput(createPlantInput, post(body, more)));
const bodyFaults = (body?: string, more = {}) => problemOfBody(body, more).faults;

test('every fault of body and query is named', () => {
  const body = '{"id":"7","tag":7,"a/b~c":1,"tag":7,"\\ud800":null}';
  expect(bodyFaults(body, { query: { debug: ['1'], limit: ['1'] } })).toEqual([
    { pointer: '/tag', detail: 'must occur only once' },
    { pointer: '/a~1b~0c', detail: 'is unknown' },
    { pointer: '/\uFFFD', detail: 'is unknown' },
    { parameter: 'debug', detail: 'is unknown' },
    { parameter: 'limit', detail: 'is unknown' },
    { pointer: '/id', detail: 'must be an integer' },
    { pointer: '/name', detail: 'is required' },
    { pointer: '/tag', detail: 'must be a string' },
  ]);
});

test('every fault of a query is named', () => {
  const event = proxyEvent({ query: { limit: ['0'], cursor: ['x', 'y'], limt: ['5'] } });
  expect(problemOf(() => readInput(listPlantsInput, event)).faults).toEqual([
    { parameter: 'limt', detail: 'is unknown' },
    { parameter: 'limit', detail: 'must be at least 1' },
    { parameter: 'cursor', detail: 'must be given only once' },
  ]);
});

test('every fault of a path and query is named', () => {
  const event = proxyEvent({ pathParameters: { id: '07' }, query: { id: ['7'] } });
  const { faults } = problemOf(() => readInput(deletePlantInput, event));
  expect(faults).toMatchObject([{ parameter: 'id' }, { parameter: 'id' }]);
});

test('an id in a path is decoded once before it is read', () => {
  const read = (id: string) => readInput(deletePlantInput, proxyEvent({ pathParameters: { id } }));
  expect(read('%2D%37')).toEqual({ path: { id: -7n } });
  for (const id of ['%2537', '%30%37', '%', '%ff', '1%2F2'])
    expect(() => read(id)).toThrow(Problem);
});

test.each([
  ['9223372036854775808', 'must be at most 9223372036854775807'],
  ['-9223372036854775809', 'must be at least -9223372036854775808'],
  ['9'.repeat(4000), 'must be at most 9223372036854775807'],
  ['07', 'must be an integer in canonical decimal digits, like 7 or -7'],
  ['seven', 'must be an integer in canonical decimal digits, like 7 or -7'],
  ['%', 'must be an integer in canonical decimal digits, like 7 or -7'],
])('the fault of the id %.25s in a path is that it %s', (id, detail) => {
  const read = () => readInput(deletePlantInput, proxyEvent({ pathParameters: { id } }));
  expect(problemOf(read).faults).toEqual([{ parameter: 'id', detail }]);
});

test.each<[what: string, body: string | undefined, detail: string]>([
  ['nothing', undefined, 'must be a JSON object, but there is no body'],
  ['a byte order mark', '\uFEFF{}', 'must not begin with a byte order mark'],
  ['an array', '[]', 'must be a JSON object'],
  ['half of an object', '{', 'is not well-formed JSON at line 1, column 2'],
])('a body of %s has one fault', (_, body, detail) => {
  expect(bodyFaults(body)).toEqual([{ pointer: '', detail }]);
});

test('a body in base64 is refused if it is not UTF-8', () => {
  const base64 = (data: string) => Buffer.from(data, 'latin1').toString('base64');
  const utf8 = post(base64('{"id":1,"name":"\xC3\xA9"}'), { isBase64Encoded: true });
  expect(readInput(createPlantInput, utf8).body).toEqual({ id: 1n, ...answered({ name: 'é' }) });
  const faults = bodyFaults(base64('{"id":1,"name":"\xE9"}'), { isBase64Encoded: true });
  expect(faults).toEqual([{ pointer: '', detail: 'is not well-formed UTF-8' }]);
});

test('a body of 16 KiB is accepted, and a larger one is refused before its other faults', () => {
  const fits = '{"id":1,"name":"é"}'.padEnd(16 * 1024 - 1);
  expect(readInput(createPlantInput, post(fits)).body).toMatchObject({ id: 1n });
  const problem = problemOfBody(`${fits} `, { query: { x: ['1'] } });
  expect(problem).toMatchObject({ code: 'content-too-large', faults: [] });
});

const type = { header: 'Content-Type', detail: 'must be application/json' };
const encoding = { header: 'Content-Encoding', detail: 'must not be sent' };
test.each([
  [{ 'content-type': ['application/json'], 'CONTENT-TYPE': ['application/json'] }, [type]],
  [{ 'cOnTeNt-TyPe': ['application/json'], 'Content-ENCODING': ['gzip'] }, [encoding]],
  [{ 'content-encoding': ['gzip'] }, [type, encoding]],
])('the headers %j get 415, even if the body is too large', (headers, faults) => {
  const problem = problemOfBody('x'.repeat(20_000), { headers });
  expect(problem).toMatchObject({ code: 'unsupported-media-type', faults });
});

test('an operation without a body ignores the body of a request', () => {
  const event = proxyEvent({
    headers: { 'content-encoding': ['br'] },
    body: 'x'.repeat(20_000),
    pathParameters: { id: '7' },
  });
  expect(readInput(deletePlantInput, event)).toEqual({ path: { id: 7n } });
});

test.each([null, undefined, false, 0, ''])('headers that are %p are no headers', (headers) => {
  const event = { ...post('{}'), multiValueHeaders: headers } as never;
  expect(problemOf(() => readInput(createPlantInput, event)).code).toBe('unsupported-media-type');
});

test.each([null, [], ['2147483648'], ['99999999999'], ['7x'], ['x7']])(
  'a limit whose values are %j is refused',
  (limit) => {
    const read = () => readInput(listPlantsInput, proxyEvent({ query: { limit } as never }));
    const detail = expect.stringMatching(limit?.length ? /2147483647/ : /must be/);
    expect(problemOf(read).faults).toEqual([{ parameter: 'limit', detail }]);
  },
);

test.each([0, {}, [], true])('a body that is %p, and no text, is no body', (body) => {
  const event = { ...post('{}'), body } as never;
  expect(problemOf(() => readInput(createPlantInput, event)).faults).toEqual([
    { pointer: '', detail: 'must be a JSON object, but there is no body' },
  ]);
});
