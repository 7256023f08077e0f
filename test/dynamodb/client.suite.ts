import { expect, jest, test } from '@jest/globals';
import { requireVariable } from '../../functions/dynamodb/client.ts';
import { catchError, get, respondBy } from './server.ts';

const unreadable = 'The response of DynamoDB is unreadable.';
test.each([
  { name: 'SyntaxError', httpStatusCode: 200, message: unreadable },
  { name: 'TypeError', httpStatusCode: 200, message: unreadable },
  { name: 'SyntaxError', httpStatusCode: 400, message: 'fault' },
  { name: 'SyntaxError', httpStatusCode: undefined, message: 'fault' },
  { name: 'Error', httpStatusCode: 200, message: 'fault' },
])('a read that ended with $name and $httpStatusCode throws "$message"', async (row) => {
  const { name, httpStatusCode, message } = row;
  const thrown = await catchError(get, { name, $metadata: { httpStatusCode } });
  expect(thrown.message).toBe(message);
  // The cause is for the log.
  expect(thrown.cause ?? thrown).toMatchObject({ name });
});

test('white space before a response is ignored', async () => {
  respondBy((_, response) => response.end(' \r\n\t{}'));
  expect((await get()).Item).toBeUndefined();
});

test.each(['', ' ', '[]'])('the response %j is unreadable', async (body) => {
  respondBy((_, response) => response.end(body));
  await expect(get()).rejects.toThrow('is unreadable');
});

test.each([
  { title: 'missing', variables: {} },
  { title: 'empty', variables: { TABLE: '' } },
])('a variable of the environment that is $title is an error that names it', ({ variables }) => {
  jest.replaceProperty(process, 'env', { ...process.env, ...variables });
  expect(() => requireVariable('TABLE')).toThrow('The environment variable TABLE is not set.');
  jest.restoreAllMocks();
});
