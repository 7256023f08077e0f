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
  // No other token ever gets this id, so that a repetition deletes nothing else.
  for (const { id } of await listTokens(database, table, owner))
    await untilAvailable(
      () =>
        database.send(
          new DeleteCommand({ TableName: table, Key: { [accessTokenKey.partition]: id } }),
        ),
      true,
    );
}

/** Deletes an owner's plants. Ends early, without an error, once the signal has aborted. */
export async function erasePlants(
  store: PlantStore,
  owner: string,
  onlyWriter: boolean,
  count: (plants: number) => void,
  signal: AbortSignal,
): Promise<void> {
  await inParallel(
    idsOf(store, owner),
    async (id) => {
      await untilAvailable(() => store.remove(owner, id), onlyWriter);
      count(1);
    },
    signal,
  );
}

async function* idsOf(store: PlantStore, owner: string) {
  for await (const page of pagesOf(store, owner)) for (const { id } of page) yield id;
}
