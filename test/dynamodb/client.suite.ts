import { fromEnv } from '@aws-sdk/credential-provider-env';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { requestHandlerOptions, requireVariable } from '../../functions/dynamodb/client.ts';
import { HandshakeAgent } from '../../functions/dynamodb/handshake-agent.ts';
import { RetryStrategy } from '../../functions/dynamodb/writes.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import { clock } from '../support/clock/clock.ts';
import { catchError, connectTo, get, origin, respondBy, TableName } from './server.ts';

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

test('a write that waits for a free connection fails after one second, and is not unknown', async () => {
  expect(new HandshakeAgent(1000).maxSockets).toBe(50);
  const arrived = Promise.withResolvers<void>();
  respondBy(() => arrived.resolve());
  const client = connectTo(origin, {
    credentials: fromEnv(),
    requestHandler: requestHandlerOptions(timeouts, { maxSockets: 1 }),
    retryStrategy: new RetryStrategy({ maxAttempts: 1 }),
  });
  const put = new PutCommand({ TableName, Item: { id: 1n } });
  client.send(put).catch(() => {});
  await arrived.promise;
  client.middlewareStack.add(
    (next) => (args) => {
      const sent = next(args);
      clock.advance(1000);
      return sent;
    },
    { step: 'deserialize', priority: 'low' },
  );
  await expect(client.send(put)).rejects.toThrow(
    /did not establish a connection .* timeout of 1000 ms/,
  );
});
