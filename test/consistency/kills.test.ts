import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
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

/** What a process changes in the rows. Each change is in the index too. */
const changes = [
  { Item: { key: '4', colour: 'red', size: 'large' } },
  { Item: { key: '1', colour: 'blue', size: 'small' } },
  { Key: { key: '2' } },
];

type During = 'a first start' | 'a rebuild' | 'changes of rows';
interface Kill {
  during: During;
  /** How many writes to its files the killed process makes. */
  writes: number;
}

const folder = temporaryFolder();
/** Data folders as the killed processes find them. A first start finds none. */
const found: Record<During, string | undefined> = {
  'a first start': undefined,
  'a rebuild': join(folder, 'other-index'),
  'changes of rows': join(folder, 'same-index'),
};

beforeAll(async () => {
  await writeFolder(join(folder, 'other-index'), { ...tables, Plants: indexedBy('size') });
  await writeFolder(join(folder, 'same-index'), tables);
});

async function writeFolder(data: string, written: Record<string, Table>): Promise<void> {
  const database = await startDatabase({ folder: await openDataFolder(data), port: 0 });
  await createTablesOf(written, database);
  const client = localDocumentClient(database.endpoint);
  for (const Item of rows) {
    await client.send(new PutCommand({ TableName: 'Plants', Item }));
  }
  client.destroy();
  await database.stop();
}

/** Opens the data folder, makes the tables, and returns the keys of all rows. */
async function startAgain(data: string): Promise<string[]> {
  const database = await startDatabase({ folder: await openDataFolder(data), port: 0 });
  const client = localDocumentClient(database.endpoint);
  try {
    await createTablesOf(tables, database);
    const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Plants' }));
    return Items.map(({ key }) => String(key)).sort();
  } finally {
    client.destroy();
    await database.stop();
  }
}

/** Returns what each part of the engine's files has, such as a table's items. */
async function partsOf(data: string): Promise<Record<string, unknown[]>> {
  const level = new ClassicLevel<string, { key?: { S: string } }>(join(data, 'dynalite'), {
    valueEncoding: 'json',
  });
  const parts: Record<string, { key?: { S: string } }[]> = {};
  for (const [key, value] of await level.iterator().all()) {
    const part = /^(table|item-\w+|index-global~\w+~By-\w+)~/.exec(key)?.[1] ?? key;
    parts[part] = [...(parts[part] ?? []), value];
  }
  await level.close();
  for (const values of Object.values(parts)) {
    values.sort((a, b) => `${a.key?.S}`.localeCompare(`${b.key?.S}`));
  }
  return parts;
}

const killDuring = (during: During, writes: number) =>
  fc.record({ during: fc.constant(during), writes: fc.nat(writes) });
const program = join(import.meta.dirname, 'kills', 'database.ts');

testProperty<Kill>({
  name: 'kills (SIGKILL) while the database makes its tables, rebuilds one, or changes rows',
  topic: 'Crashes',
  outcome: 'The next start had every table, index and row, and nothing else.',
  counts: { short: 10, whole: 150 },
  cases: fc.oneof(
    killDuring('a first start', 5),
    killDuring('a rebuild', 27),
    killDuring('changes of rows', 8),
  ),
  async holds({ during, writes }) {
    const data = join(temporaryFolder(), 'data');
    const older = found[during];
    if (older) {
      cpSync(older, data, { recursive: true });
    }
    const changed = during === 'changes of rows' ? changes : [];
    const args = [data, JSON.stringify(tables), JSON.stringify(changed), `${writes}`];
    const options = { encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
    // Windows gives a process that was killed a status, and no signal.
    const isKilled = status !== 0;
    expect({ isKilled, stdout, stderr }).toEqual({ isKilled: true, stdout: '', stderr: '' });

    const keys = await startAgain(data);
    if (during === 'changes of rows') {
      expect(keys).toContain('3');
    } else {
      expect(keys).toEqual(older ? rows.map(({ key }) => key) : []);
    }
    const { table = [], 'item-Plants': items, ...more } = await partsOf(data);
    expect(table).toHaveLength(2);
    expect(more).toEqual(items ? { 'index-global~Plants~By-colour': items } : {});
  },
});
