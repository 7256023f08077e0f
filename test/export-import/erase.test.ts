import { PassThrough } from 'node:stream';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { eraseCommand } from '../../bin/plants/erase.ts';
import { type TableName, tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import { openTables } from '../support/database/open-database.ts';

const { endpoint, database } = await openTables();
const tableNames = Object.keys(tableIds) as TableName[];

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
