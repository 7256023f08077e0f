import type { NumberValue } from '@aws-sdk/lib-dynamodb';
import { plantStore } from '../../functions/plants/store.ts';
import { CommandError } from '../command-line/command-error.ts';
import { formatCount } from '../command-line/format-count.ts';
import { deleteToken, listTokens } from '../tokens/tokens.ts';
import { showProgress } from './progress.ts';
import { readPages } from './stored-plants.ts';
import type { Target } from './target.ts';
import { writeAll } from './write-all.ts';

/** Numbers of an owner's access tokens and plants. */
export interface Holding {
  tokens: number;
  plants: number;
}

export const describeHolding = ({ tokens, plants }: Holding): string =>
  `${formatCount(tokens, 'access token')} and ${formatCount(plants, 'plant')}`;

export async function countHolding(target: Target, owner: string): Promise<Holding> {
  return {
    tokens: await count(listTokenIds(target, owner)),
    plants: await count(listPlantIds(target, owner)),
  };
}

/**
 * Permanently deletes an owner's access tokens and plants. Returns their numbers. Throws a
 * CommandError if the owner has some at the end.
 */
export async function eraseHolding(
  target: Target,
  owner: string,
  found: Holding,
): Promise<Holding> {
  const { database, tables } = target;
  const store = plantStore(database, tables.plants);
  const erased = { tokens: 0, plants: 0 };
  const soFar = () => `${describeHolding(erased)} erased`;
  async function eraseToken(id: string): Promise<void> {
    await deleteToken(database, tables.accessTokens, id);
    erased.tokens += 1;
  }
  async function erasePlant(id: bigint): Promise<void> {
    await store.remove(owner, id);
    erased.plants += 1;
    showProgress(`Erasing: ${erased.plants} of ${formatCount(found.plants, 'plant')}`);
  }
  // Tokens are erased first, so that their holders cannot create more plants.
  await writeAll(target, listTokenIds(target, owner), eraseToken, soFar);
  await writeAll(target, listPlantIds(target, owner), erasePlant, soFar);
  const left = await countHolding(target, owner);
  if (left.tokens + left.plants > 0) {
    throw new CommandError(
      `Erased ${describeHolding(erased)} of ${owner}, who has ${describeHolding(left)} again. ` +
        'Repeat the command.',
    );
  }
  return erased;
}

/** Yields the ids alone, so that damaged plants are erased too. */
async function* listPlantIds({ database, tables }: Target, owner: string): AsyncGenerator<bigint> {
  for await (const page of readPages(database, tables.plants, owner)) {
    yield* page.map(({ id }) => (id as NumberValue).toBigInt());
  }
}

async function* listTokenIds({ database, tables }: Target, owner: string): AsyncGenerator<string> {
  const tokens = await listTokens(database, tables.accessTokens, owner);
  // A damaged record without an owner may belong to anyone.
  yield* tokens.filter((token) => token.owner === owner).map(({ id }) => id);
}

async function count(items: AsyncGenerator): Promise<number> {
  let all = 0;
  for await (const _ of items) {
    all += 1;
  }
  return all;
}
