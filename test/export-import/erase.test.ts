import { PassThrough } from 'node:stream';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, jest, test } from '@jest/globals';
import { eraseCommand } from '../../bin/plants/erase.ts';
import { ownerRows } from '../../bin/plants/owner-rows.ts';
import { operationNames, operations } from '../../functions/shared/operations.ts';
import { tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import { finallyDo } from '../support/cleanup.ts';
import { openTables } from '../support/database/open-database.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { startService } from '../support/service/service.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const service = await startService();
finallyDo(() => service.stop());

/** Returns the rows of every table, by its name. */
async function allRows(): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  for (const table of Object.values(tableIds)) {
    const { Items = [] } = await service.database.send(new ScanCommand({ TableName: table }));
    rows[table] = Items.map((item) => JSON.stringify(item)).sort();
  }
  return rows;
}

/** Calls every operation but those that delete, in the order of their table. */
async function callOperations(owner: string): Promise<void> {
  const token = await service.issue(owner);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  for (const name of operationNames) {
    const actions = Object.values<readonly string[]>(operations[name].tables).flat();
    if (actions.includes('DeleteItem')) {
      continue;
    }
    const { path, httpMethod: method, body } = eventOf(name);
    const { status } = await fetch(service.baseUrl + path, { method, headers, body });
    expect(Object.keys(operations[name].successes)).toContain(`${status}`);
  }
}

function erase(owner: string, answer: string): Promise<void> {
  const stdin = new PassThrough().end(answer);
  jest.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never);
  const { databaseEndpoint: dynamodbEndpoint } = service;
  return eraseCommand({ localhost: true, dynamodbEndpoint, owner, onlyWriter: false });
}

test('erase removes what the operations wrote for an owner, once the name is typed', async () => {
  await callOperations('anna');
  const others = await allRows();
  await callOperations('ann');
  const all = await allRows();
  const asked = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const said = jest.spyOn(console, 'error').mockReturnValue();

  for (const answer of ['anna\n', 'y\n', '']) {
    await expect(erase('ann', answer)).rejects.toThrow(
      'That is not "ann", so nothing is erased. Repeat the command to be asked again.',
    );
  }
  expect(await allRows()).toEqual(all);
  expect(said.mock.lastCall?.[0]).toMatch(/^http:.*: ann has 1 access token.*\.$/);
  expect(asked).toHaveBeenCalledWith('Type "ann" to erase them for good: ');

  await erase('ann', 'ann\n');
  expect(said.mock.lastCall?.[0]).toMatch(/^Erased 1 access token.* of ann\. /);
  expect(await allRows()).toEqual(others);
  for (const [table, rows] of Object.entries(all)) {
    const added = rows.length > (others[table]?.length ?? 0);
    expect({ table, added }).toEqual({ table, added: true });
  }
});

test('an owner has the plants of its partition, and no others', async () => {
  const { database } = await openTables({ plants: 'Rows' });
  const row = (owner: string, id: number, padding = '') =>
    database.send(new PutCommand({ TableName: 'Rows', Item: { owner, id, padding } }));
  // More than DynamoDB reads at once.
  for (let id = 1; id <= 4; id += 1) {
    for (const owner of ['ann', 'anna', 'Ann', 'an']) {
      await row(owner, id, 'x'.repeat(390_000));
    }
  }
  const found: string[] = [];
  for await (const { owner, id } of ownerRows(database, 'Rows', tableKeys.plants, 'ann')) {
    found.push(`${owner} ${id}`);
  }
  expect(found).toEqual([1, 2, 3, 4].map((id) => `ann ${id}`));
});
