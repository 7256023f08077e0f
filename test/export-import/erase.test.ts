import { PassThrough } from 'node:stream';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { eraseCommand } from '../../bin/plants/erase.ts';
import { tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../lib/database/database-client.ts';
import { finallyDo } from '../support/cleanup.ts';
import { createTable, tableNames } from '../support/database/create-table.ts';
import { engine } from '../support/database/engines.ts';

const { endpoint, stop } = await engine().start();
const database = localDocumentClient(endpoint);
for (const name of tableNames) await createTable(database, name);
finallyDo(stop);
finallyDo(() => database.destroy());

test('erase removes what an owner has in every table, and nothing of others', async () => {
  for (const name of tableNames)
    for (const owner of ['ann', 'anna']) {
      const { partition, sort } = tableKeys[name];
      const key = { [partition]: `of ${owner}`, ...(sort && { [sort]: 7 }) };
      await database.send(new PutCommand({ TableName: tableIds[name], Item: { ...key, owner } }));
    }
  const stdin = new PassThrough();
  stdin.write('ann\n');
  jest.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never);
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const said = jest.spyOn(console, 'error').mockImplementation(() => {});
  await eraseCommand({
    owner: 'ann',
    onlyWriter: false,
    localhost: true,
    dynamodbEndpoint: endpoint,
    stack: '',
  });
  expect(said.mock.lastCall?.[0]).toMatch(/^Erased 1 access token.* of ann\. /);
  jest.restoreAllMocks();
  const left = tableNames.map(async (name) => {
    const { Items = [] } = await database.send(new ScanCommand({ TableName: tableIds[name] }));
    return Items.map(({ owner }) => owner);
  });
  expect(await Promise.all(left)).toEqual(tableNames.map(() => ['anna']));
});
