import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { protectWrites, RetryStrategy } from '../../functions/dynamodb/writes.ts';
import { plantStore } from '../../functions/plants/store.ts';
import { attempts } from '../../functions/shared/timeouts.ts';
import { openTarget, tableIn } from '../administration/target.ts';
import type { TargetOptions } from '../administration/target-options.ts';

/** Opens the tables that the options name. */
export async function openPlants(options: TargetOptions) {
  const retryStrategy = new RetryStrategy(attempts);
  const [database, tokensTable] = await openTarget(options, { retryStrategy });
  protectWrites(database);
  const plantsTable = await tableIn(options, 'plants');
  const store = plantStore(database, plantsTable);

  /** Returns which table this is, also if another one gets its name later. */
  async function identity() {
    const { Table } = await database.send(new DescribeTableCommand({ TableName: plantsTable }));
    return { table: Table?.TableArn ?? plantsTable, tableId: Table?.TableId ?? '' };
  }

  return { store, database, tokensTable, identity };
}
