import { describe, expect, test } from '@jest/globals';
import type { HttpRequest } from '@smithy/core/protocols';
import { itemStore } from '../../../functions/items/store.ts';
import { plantKind } from '../../../functions/plants/plant.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../../lib/database/database-client.ts';
import { engines } from '../../support/database/engines.ts';
import { openTables } from '../../support/database/open-database.ts';
import { itemModel } from './model.ts';

/** Returns a client whose answers come from a model. Each owner has one item. */
function modelClient(endpoint: string) {
  const client = localDocumentClient(endpoint);
  const models = new Map<string, ReturnType<typeof itemModel>>();
  client.config.requestHandler = Object.assign(Object.create(client.config.requestHandler), {
    async handle({ headers, body }: HttpRequest) {
      const name = `${headers['x-amz-target']}`.split('.')[1] ?? '';
      const sent = new TextDecoder().decode(body);
      const [owner = ''] = /owner-\d+/.exec(sent) ?? [];
      const model = models.get(owner) ?? itemModel();
      models.set(owner, model);
      const { status, body: answer } = model.answer({ name, parameters: JSON.parse(sent) });
      const bytes = Buffer.from(JSON.stringify(answer));
      return { response: { statusCode: status, headers: {}, body: bytes } };
    },
  });
  return client;
}

const calls = ['create Aloe', 'create Ficus', 'delete', 'list'];
const sequences = calls.flatMap((one) =>
  calls.flatMap((two) => calls.map((three) => [one, two, three])),
);

describe.each(engines())('on $name', (engine) => {
  test('the model answers every three calls of the store as the engine does', async () => {
    const { endpoint, database: client } = await openTables(tableIds, engine);
    const [real, modelled] = [client, modelClient(endpoint)].map((database) => {
      const store = itemStore(plantKind, database, tableIds.plants);
      return (call: string, owner: string): Promise<unknown> => {
        const [, name] = call.split(' ');
        if (name) return store.create(owner, plantKind.parse({ id: 7n, name }));
        return call === 'delete' ? store.remove(owner, 7n) : store.list(owner, 10, undefined);
      };
    });
    const play = async (by: typeof real) =>
      Promise.all(
        sequences.map(async (sequence, i) => {
          const outcomes: unknown[] = [];
          for (const call of sequence) outcomes.push(call, await by?.(call, `owner-${i}`));
          return outcomes;
        }),
      );
    expect(await play(modelled)).toEqual(await play(real));
  });
});
