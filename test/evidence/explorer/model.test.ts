import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { plantKind } from '../../../functions/plants/plant.ts';
import { plantStore } from '../../../functions/plants/store.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localClient, localDocumentClient } from '../../../lib/database/database-client.ts';
import type { Database } from '../../../lib/database/embedded-database.ts';
import { createTable } from '../../support/database/create-table.ts';
import { engines } from '../../support/database/engines.ts';
import { type Answer, itemModel, refusal } from './model.ts';

/** Returns the requests that the store can send for plant 7 of OWNER, each once. */
async function requestsOfStore(endpoint: string): Promise<HttpRequest[]> {
  const requests = new Map<string, HttpRequest>();
  const database = localDocumentClient(endpoint);
  const { config } = database;
  config.requestHandler = Object.assign(Object.create(config.requestHandler), {
    async handle(request: HttpRequest) {
      requests.set(textOf(request).replace(/"nonce":.*?\}/, ''), request);
      const isPut = nameOf(request) === 'PutItem';
      const { status, body } = isPut
        ? refusal(400, 'ConditionalCheckFailedException')
        : { status: 200, body: {} };
      const response = { statusCode: status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
      return { response };
    },
  });
  const plants = plantStore(database, tableIds.plants);
  for (const name of ['Aloe', 'Ficus'])
    await expect(plants.create('OWNER', plantKind.parse({ id: 7n, name }))).rejects.toThrow(
      'came and went',
    );
  await plants.remove('OWNER', 7n);
  await plants.list('OWNER', 10, undefined);
  return [...requests.values()];
}

const nameOf = ({ headers }: HttpRequest) => `${headers['x-amz-target']}`.split('.')[1] ?? '';
const textOf = ({ body }: HttpRequest) => new TextDecoder().decode(body);

/** Returns what tells one answer from another: an error's type, or the whole body. */
const gist = ({ status, body }: Answer) => {
  // DynamoDB Local reports the capacity unasked.
  const { __type, message, Message, ConsumedCapacity, ...rest } = body as Record<string, unknown>;
  return { status, type: __type && `${__type}`.split('#')[1], ...rest };
};

describe.each(engines())('on $name', ({ start }) => {
  let engine: Database;
  let requests: HttpRequest[];
  const handler = new NodeHttpHandler();

  beforeAll(async () => {
    engine = await start();
    const client = localClient(engine.endpoint);
    await createTable(client, 'plants');
    client.destroy();
    requests = await requestsOfStore(engine.endpoint);
  });
  afterAll(async () => {
    handler.destroy();
    await engine.stop();
  });

  async function send(request: HttpRequest, body: string): Promise<Answer> {
    const headers = { ...request.headers, 'content-length': `${Buffer.byteLength(body)}` };
    const { response } = await handler.handle(Object.assign(request.clone(), { headers, body }));
    const answer = Buffer.concat(await response.body.toArray()).toString();
    return { status: response.statusCode, body: JSON.parse(answer) };
  }

  test('the model answers every sequence of three requests as the engine does', async () => {
    expect(requests.map(nameOf)).toEqual(['PutItem', 'GetItem', 'PutItem', 'DeleteItem', 'Query']);
    const count = requests.length ** 3;
    for (let n = 0; n < count; n += 1) {
      const model = itemModel();
      const sequence = [25, 5, 1].map((place) => requests[Math.floor(n / place) % 5]);
      for (const request of sequence as HttpRequest[]) {
        const body = textOf(request).replaceAll('OWNER', `owner-${n}`);
        const parameters = JSON.parse(body);
        const expected = gist(model.answer({ name: nameOf(request), parameters }));
        const names = sequence.map((one) => nameOf(one as HttpRequest));
        expect({ names, answer: gist(await send(request, body)) }).toEqual({
          names,
          answer: expected,
        });
      }
    }
  });
});
