import type { AttributeDefinition, KeySchemaElement } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type TableName, tableIds, tableKeys } from '../../../functions/shared/table-schema.ts';
import { createTables } from '../../../lib/offline/database/create-tables.ts';
import { openDataFolder } from '../../../lib/offline/database/data-folder.ts';
import { localDocumentClient } from '../../../lib/offline/database/database-client.ts';
import { type Database, startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import type { Properties, Table } from '../../../lib/offline/template/properties.ts';
import type { Template } from '../../../lib/offline/template/template.ts';
import { finallyDo } from '../cleanup.ts';
import { engine } from './engines.ts';

type Options = Partial<Omit<Parameters<typeof startDatabase>[0], 'folder'>> & { data?: string };

/** Starts a database on a free port, in memory unless told, until the test file ends. */
export async function openDatabase({ data, ...options }: Options = {}): Promise<Database> {
  const folder = data === undefined ? {} : { folder: await openDataFolder(data) };
  const database = await startDatabase({ port: 0, ...options, ...folder });
  finallyDo(() => database.stop());
  return database;
}

type Resources = { [Type in keyof Properties]?: Record<string, Partial<Properties[Type]>> };

/** Returns a template that has these resources and no other. */
export const templateWith = (resources: Resources) =>
  ({
    of: (type: keyof Properties) => new Map(Object.entries(resources[type] ?? {})),
  }) as unknown as Template;

/** Returns a table with a text for a partition key and, if it is named, a number to sort by. */
export function tableOf(
  partition: string,
  sort?: string,
  sortType: 'N' | 'S' = 'N',
): { AttributeDefinitions: AttributeDefinition[]; KeySchema: KeySchemaElement[] } {
  const AttributeDefinitions: AttributeDefinition[] = [
    { AttributeName: partition, AttributeType: 'S' },
  ];
  const KeySchema: KeySchemaElement[] = [{ AttributeName: partition, KeyType: 'HASH' }];
  if (sort !== undefined) {
    AttributeDefinitions.push({ AttributeName: sort, AttributeType: sortType });
    KeySchema.push({ AttributeName: sort, KeyType: 'RANGE' });
  }
  return { AttributeDefinitions, KeySchema };
}

/** Creates tables, each under its name. */
export const createTablesOf = (tables: Record<string, Table>, { endpoint }: { endpoint: string }) =>
  createTables(templateWith({ 'AWS::DynamoDB::GlobalTable': tables }), endpoint);

/** An engine that has tables, and a client of it. */
export interface OpenTables {
  endpoint: string;
  database: DynamoDBDocumentClient;
}

/** Starts an engine in memory with tables of the stack, until the test file ends. */
export async function openTables(
  names: Partial<Record<TableName, string>> = tableIds,
  { start } = engine(),
): Promise<OpenTables> {
  const { endpoint, stop } = await start();
  finallyDo(stop);
  const database = localDocumentClient(endpoint);
  finallyDo(() => database.destroy());
  const tables = Object.entries(names).map(([name, called]) => {
    const { partition, sort } = tableKeys[name as TableName];
    return [called, tableOf(partition, sort)];
  });
  await createTablesOf(Object.fromEntries(tables), { endpoint });
  return { endpoint, database };
}
