import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect } from '@jest/globals';
import { ClassicLevel } from 'classic-level';
import fc from 'fast-check';
import { openDataFolder } from '../../lib/offline/database/data-folder.ts';
import { localDocumentClient } from '../../lib/offline/database/database-client.ts';
import { startDatabase } from '../../lib/offline/database/embedded-database.ts';
import type { Table } from '../../lib/offline/template/properties.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { createTablesOf, tableOf } from '../support/database/open-database.ts';
import { testProperty } from '../support/report/property.ts';

const indexedBy = (attribute: string): Table => ({
  AttributeDefinitions: ['key', attribute].flatMap((name) => tableOf(name).AttributeDefinitions),
  KeySchema: tableOf('key').KeySchema,
  GlobalSecondaryIndexes: [
    {
      IndexName: `By-${attribute}`,
      KeySchema: tableOf(attribute).KeySchema,
      Projection: { ProjectionType: 'ALL' },
    },
  ],
});
const tables = { Plants: indexedBy('colour'), Trees: tableOf('key') };
const rows = ['1', '2', '3'].map((key) => ({ key, colour: 'red', size: 'small' }));

/** A data folder whose tables have another index, and rows. */
const older = join(temporaryFolder(), 'older');
beforeAll(async () => {
  const database = await startDatabase({ folder: await openDataFolder(older), port: 0 });
  await createTablesOf({ ...tables, Plants: indexedBy('size') }, database);
  const client = localDocumentClient(database.endpoint);
  for (const Item of rows) {
    await client.send(new PutCommand({ TableName: 'Plants', Item }));
  }
  client.destroy();
  await database.stop();
});

interface Kill {
  during: 'a first start' | 'a rebuild';
  /** How many writes to its files the killed process makes. */
  writes: number;
}

/** Opens the data folder, makes the tables, and returns the keys in them and in their index. */
async function startAgain(data: string) {
  const database = await startDatabase({ folder: await openDataFolder(data), port: 0 });
  const client = localDocumentClient(database.endpoint);
  try {
    await createTablesOf(tables, database);
    const scanned = await client.send(new ScanCommand({ TableName: 'Plants' }));
    const query = new QueryCommand({
      TableName: 'Plants',
      IndexName: 'By-colour',
      KeyConditionExpression: 'colour = :red',
      ExpressionAttributeValues: { ':red': 'red' },
    });
    const queried = await client.send(query);
    const keysOf = (items: Record<string, string>[] = []) => items.map(({ key }) => key).sort();
    return { table: keysOf(scanned.Items), index: keysOf(queried.Items) };
  } finally {
    client.destroy();
    await database.stop();
  }
}

/** Returns how many entries each part of the engine's files has. */
async function entriesIn(data: string): Promise<Record<string, number>> {
  const level = new ClassicLevel(join(data, 'dynalite'));
  const count: Record<string, number> = {};
  for (const key of await level.keys().all()) {
    const part = key.slice(0, key.lastIndexOf('~'));
    count[part] = (count[part] ?? 0) + 1;
  }
  await level.close();
  return count;
}

const program = join(import.meta.dirname, 'kills', 'database.ts');
testProperty<Kill>({
  name: 'kills (SIGKILL) while the database makes its tables, or rebuilds one with its rows',
  topic: 'Crashes',
  outcome: 'The next start had every table, index and row, and nothing else.',
  counts: { short: 8, whole: 100 },
  cases: fc.oneof(
    fc.record({ during: fc.constant('a first start' as const), writes: fc.nat(4) }),
    fc.record({ during: fc.constant('a rebuild' as const), writes: fc.nat(26) }),
  ),
  async holds({ during, writes }) {
    const data = join(temporaryFolder(), 'data');
    if (during === 'a rebuild') {
      cpSync(older, data, { recursive: true });
    }
    const args = [program, data, JSON.stringify(tables), `${writes}`];
    const { signal, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ signal, stdout }).toEqual({ signal: 'SIGKILL', stdout: '' });

    const keys = during === 'a rebuild' ? rows.map(({ key }) => key) : [];
    expect(await startAgain(data)).toEqual({ table: keys, index: keys });
    const ofRows = { 'item-Plants': keys.length, 'index-global~Plants~By-colour': keys.length };
    expect(await entriesIn(data)).toEqual({ table: 2, ...(keys.length > 0 && ofRows) });
  },
});
