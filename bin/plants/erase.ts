import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { PlantStore } from '../../functions/plants/store.ts';
import { accessTokenKey } from '../../functions/shared/table-schema.ts';
import { listTokens } from '../administration/access-tokens.ts';
import { pagesOf } from './export.ts';
import { inParallel } from './in-parallel.ts';
import { untilAvailable } from './retry.ts';

/** Deletes an owner's access tokens, without a trace of them. */
export async function eraseTokens(
  database: DynamoDBDocumentClient,
  table: string,
  owner: string,
): Promise<void> {
  for (const { id } of await listTokens(database, table, owner))
    await database.send(
      new DeleteCommand({ TableName: table, Key: { [accessTokenKey.partition]: id } }),
    );
}

/** Deletes an owner's plants. Ends early, without an error, once the signal has aborted. */
export async function erasePlants(
  store: PlantStore,
  owner: string,
  count: (plants: number) => void,
  signal: AbortSignal,
): Promise<void> {
  await inParallel(
    idsOf(store, owner),
    async (id) => {
      await untilAvailable(() => store.remove(owner, id));
      count(1);
    },
    signal,
  );
}

async function* idsOf(store: PlantStore, owner: string) {
  for await (const page of pagesOf(store, owner)) for (const { id } of page) yield id;
}
