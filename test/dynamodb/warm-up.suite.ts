import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { warmUpClient } from '../../functions/dynamodb/warm-up.ts';
import { lines } from '../support/captured-log.ts';
import { connectTo, database, get, respondBy, TableName } from './server.ts';

test('a warm-up succeeds without an endpoint, as in AWS', async () => {
  const client = connectTo('');
  const get = new GetCommand({ TableName, Key: { id: 1n } });
  await warmUpClient(client, {}, () => client.send(get));
  expect(lines).toEqual([]);
});

test('a warm-up that fails writes one log line, and later commands are sent', async () => {
  const received: unknown[] = [];
  respondBy(({ headers }, response) => {
    received.push(headers['x-amz-target']);
    response.end('{}');
  });
  await warmUpClient(database, {}, async () => {
    throw new TypeError('outer', { cause: new RangeError('inner') });
  });
  const inner = { name: 'RangeError', message: 'inner' };
  const cause = { name: 'TypeError', message: 'outer', cause: inner };
  expect(lines).toMatchObject([{ code: 'WARM_UP_FAILED', cause }]);
  await get();
  expect(received).toEqual(['DynamoDB_20120810.GetItem']);
});
