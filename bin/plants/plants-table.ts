import { setTimeout } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isUnavailable } from '../../functions/dynamodb/client.ts';
import { protectWrites, RetryStrategy, UnknownOutcome } from '../../functions/dynamodb/writes.ts';
import type { Plant } from '../../functions/plants/plant.ts';
import { type PlantStore, plantStore } from '../../functions/plants/store.ts';
import { attempts } from '../../functions/shared/timeouts.ts';
import { openTarget, tableIn } from '../administration/target.ts';
import type { TargetOptions } from '../administration/target-options.ts';

export type OwnerOptions = TargetOptions & {
  owner: string;
};

/** Opens the table of plants that the options name. */
export async function openPlants(
  options: TargetOptions,
): Promise<{ database: DynamoDBDocumentClient; store: PlantStore }> {
  const { database } = await openTarget(options, { retryStrategy: new RetryStrategy(attempts) });
  protectWrites(database);
  const table = await tableIn(options, 'plants');
  return { database, store: plantStore(database, table) };
}

const pageSize = 1000;

/** Yields an owner's items, page by page, in the order of their ids. */
export async function* pagesOf(
  store: PlantStore,
  owner: string,
  signal?: AbortSignal,
): AsyncGenerator<Plant[]> {
  let last: bigint | undefined;
  for (;;) {
    const page = await untilAvailable(() =>
      store.list(owner, pageSize, last, signal && { abortSignal: signal }),
    );
    if (page.length > 0) {
      yield page;
    }
    if (page.length < pageSize) {
      return;
    }
    last = page.at(-1)?.id;
  }
}

/**
 * Repeats a call to the store for as long as the database is throttling, slow or unreachable.
 * Rejects with the last error after half a minute of that. A write that may have taken effect is
 * repeated only for the one writer, because it could undo what another caller did meanwhile.
 */
export async function untilAvailable<T>(call: () => Promise<T>, onlyWriter = false): Promise<T> {
  for (let pause = 500; ; pause *= 2) {
    try {
      return await call();
    } catch (error) {
      const isUnknown = error instanceof UnknownOutcome && !onlyWriter;
      if (isUnknown || !isUnavailable(error) || pause > 16_000) {
        throw error;
      }
      await setTimeout(pause * (0.5 + Math.random() / 2));
    }
  }
}
