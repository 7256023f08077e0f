import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { issueDemoToken } from '../../lib/local/demo-token.ts';
import { issueToken } from '../../lib/tokens/tokens.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { openDatabase } from '../support/database/engine.ts';

const day = 86_400;

test('a start deletes its own expired demo tokens, and issues one with both scopes for 24 hours', async () => {
  const { database, endpoint } = await openDatabase();
  /** Issues a token some seconds ago that lives for a day. Returns its id. */
  async function issue(owner: string, label: string, age: number): Promise<string> {
    const now = () => Date.now() - age * 1000;
    const input = { owner, scopes: ['plants:read'], label, lifetime: day };
    return (await issueToken(database, 'AccessTokens', input, now)).id;
  }
  await issue('demo', 'npm run sam', day + 1);
  const kept = [
    await issue('demo', 'npm run sam', day - 60),
    await issue('demo', 'npm start', day + 1),
    await issue('alice', 'npm run sam', day + 1),
  ];
  const damaged = { id: 'damaged', owner: 'demo', label: 'npm run sam', expires: 1 };
  await database.send(new PutCommand({ TableName: 'AccessTokens', Item: damaged }));
  const { id } = splitToken(await issueDemoToken(endpoint, 'npm run sam'));
  const { Items = [] } = await database.send(new ScanCommand({ TableName: 'AccessTokens' }));
  expect(Items.map((item) => item.id).sort()).toEqual([...kept, 'damaged', id].sort());
  const record = Items.find((item) => item.id === id);
  expect(record).toMatchObject({
    owner: 'demo',
    label: 'npm run sam',
    scopes: ['plants:read', 'plants:write'],
  });
  expect(Number(record?.expires) - Number(record?.created)).toBe(day);
});
