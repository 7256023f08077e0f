import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { protectWrites, RetryStrategy } from '../../functions/dynamodb/writes.ts';
import { type PlantStore, plantStore } from '../../functions/plants/store.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { attempts } from '../../functions/shared/timeouts.ts';
import { openTarget, outputOf } from '../administration/target.ts';
import { databaseEndpoint, type TargetOptions } from '../administration/target-options.ts';

export interface Plants {
  store: PlantStore;
  database: DynamoDBDocumentClient;
  plantsTable: string;
  tokensTable: string;
  /** Where the plants are, for messages. */
  name: string;
}

/** Opens the tables that the options name. */
export async function openPlants(options: TargetOptions): Promise<Plants> {
  const retryStrategy = new RetryStrategy(attempts);
  const [database, tokensTable] = await openTarget(options, { retryStrategy });
  protectWrites(database);
  const plantsTable = options.localhost
    ? tableIds.plants
    : await outputOf(options, 'PlantsTableName');
  const name = options.localhost ? databaseEndpoint(options) : options.stack;
  const store = plantStore(database, plantsTable);
  return { store, database, plantsTable, tokensTable, name };
}

/** Returns which table this is, also if another one gets its name later. */
export async function tableIdentity({ database, plantsTable }: Plants) {
  const { Table } = await database.send(new DescribeTableCommand({ TableName: plantsTable }));
  return { table: Table?.TableArn ?? plantsTable, tableId: Table?.TableId ?? '' };
}
