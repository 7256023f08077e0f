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
  tokensTable: string;
  /** Where the plants are, for messages. */
  name: string;
}

/** Opens the tables that the options name. */
export async function openPlants(options: TargetOptions): Promise<Plants> {
  const retryStrategy = new RetryStrategy(attempts);
  const [database, tokensTable] = await openTarget(options, { retryStrategy });
  protectWrites(database);
  const table = options.local ? tableIds.plants : await outputOf(options, 'PlantsTableName');
  const name = options.local ? databaseEndpoint(options) : options.stack;
  return { store: plantStore(database, table), database, tokensTable, name };
}
