import { ClientRequest } from 'node:http';
import { DynamoDBDocumentClient, GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { answers } from '../../bin/openapi/descriptions.ts';
import { digest } from '../../functions/access-tokens/token.ts';
import { attributeOf } from '../../functions/dynamodb/attribute.ts';
import { connect } from '../../functions/dynamodb/client.ts';
import { prime } from '../../functions/dynamodb/prime.ts';
import { type Field, optional, required } from '../../functions/items/fields.ts';
import { itemFunction, storeFunction } from '../../functions/items/function.ts';
import { id, kindOf } from '../../functions/items/item.ts';
import { flag, integer, listOf, text } from '../../functions/items/kinds.ts';
import { operations } from '../../functions/shared/operations.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import { type Entry, requestEntries } from '../../lib/bundle.ts';
import { serve } from '../support/http/servers.ts';
import { eventFor, tokenOf } from '../support/service/lambda-events.ts';
import { lambdaEnvironment } from '../support/stack/lambda-environment.ts';

// The functions run here without bundles, so that mutation testing can change them in this process.

interface LambdaFunction {
  handler(event: object, context: object): Promise<object>;
  prime(): Promise<void>;
}

const token = tokenOf('caller');
const record = {
  id: { S: token.slice(4, 16) },
  digest: { B: digest(token).toString('base64') },
  owner: { S: 'alice' },
  scopes: { L: [{ S: 'plants:read' }] },
  label: { S: '' },
  created: { N: '1600000000' },
};

/** What a table holds of an item: the fields of every answer, because any operation may read it. */
const item = Object.fromEntries(
  Object.entries<Field<unknown>>({ id, ...Object.assign({}, ...Object.values(answers)) }).map(
    ([name, { kind }]) => [name, attributeOf(kind.toStored(kind.samples().good[0]))],
  ),
);

let found: object = item;
const received: string[] = [];
let log: { code: string }[] = [];
const sent = jest.spyOn(ClientRequest.prototype, 'end');

beforeAll(async () => {
  const endpoint = await serve((request, response) => {
    const [, command = ''] = `${request.headers['x-amz-target']}`.split('.');
    received.push(command);
    response.setHeader('Content-Type', 'application/x-amz-json-1.0');
    const answer = JSON.stringify({ Attributes: found, Item: found });
    request.resume().on('end', () => response.end(answer));
  });
  Object.assign(process.env, lambdaEnvironment(endpoint));
  for (const level of ['info', 'warn', 'error'] as const) {
    console[level] = (line: { code: string }) => log.push(line);
  }
});

/** Returns the codes of a function's log lines when it succeeds. */
function successesOf(entry: Entry): string[] {
  const row = Object.values(operations).find((operation) => operation.entry === entry);
  return row ? Object.values(row.successes) : ['TOKEN_ACCEPTED'];
}

test.each(requestEntries)(
  '%s warms up in memory, logs nothing, and serves after it',
  async (entry) => {
    const { handler, prime: warmUp }: LambdaFunction = await import(`../../functions/${entry}.ts`);
    found = entry === 'authorize' ? record : item;
    received.length = 0;
    log = [];
    sent.mockClear();
    await warmUp();
    expect({ sent: sent.mock.calls.length, received, log }).toEqual({
      sent: 1,
      received: [],
      log: [],
    });

    const context = { getRemainingTimeInMillis: () => timeouts.function };
    await handler(eventFor(entry), context);
    // Nothing is asked twice. What a call uses at all, the pages on costs are compared with.
    expect(received).toHaveLength(new Set(received).size);
    expect(received).not.toEqual([]);
    expect(log).toHaveLength(1);
    expect(successesOf(entry)).toContain(log[0]?.code);
  },
);

const operationEntries = Object.values(operations).map(({ entry }) => entry);

test.each(operationEntries)('%s gives up its commands when its time is over', async (entry) => {
  const { handler }: LambdaFunction = await import(`../../functions/${entry}.ts`);
  const sends = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
  const context = { getRemainingTimeInMillis: () => timeouts.function };
  await handler(eventFor(entry), context);
  const signals = sends.mock.calls.map(([, options]) => Object(options).abortSignal);
  sends.mockRestore();
  // If this is red, an operation does not pass its `signal` to the store.
  expect(signals).toEqual(signals.map(() => expect.any(AbortSignal)));
  expect(signals).not.toEqual([]);
});

test('a warm-up gets its answer to every command, and the time of a function', async () => {
  const database = connect();
  const get = new GetCommand({ TableName: 'Any', Key: { id: 1n } });
  const item = { name: 'Ü', isWet: true, isOld: false, sold: null, tags: ['a', ['b']] };
  const stored = Object.entries({ ...item, depth: 7 });
  const answer = Object.fromEntries(stored.map(([name, value]) => [name, attributeOf(value)]));
  received.length = 0;
  const seen: unknown[] = [];
  await prime(database, { Item: answer }, async (context) => {
    seen.push(context.getRemainingTimeInMillis());
    for (let i = 0; i < 3; i += 1) {
      seen.push((await database.send(get)).Item);
    }
  });
  const read = { ...item, depth: NumberValue.from('7') };
  expect({ seen, received }).toEqual({ seen: [timeouts.function, read, read, read], received: [] });
  expect((await database.send(get)).Item).toMatchObject({ owner: 'alice' });
  expect(received).toEqual(['GetItem']);
});

test('the store of a warm-up holds the example of its kind', async () => {
  const bed = kindOf('bed', 'plants', {
    depth: required(integer(0, 9)),
    isCovered: optional(flag(), false),
    tags: optional(listOf(text(1, 9), 3), []),
  });
  const seen: unknown[] = [];
  const run = () => async () => ({ code: 'PLANT_DELETED', status: 204 }) as const;
  const bedFunction = itemFunction(bed, {}, run, async (store, example) => {
    seen.push(await store.list('-', 1, undefined), await store.remove('-', example.id));
  });
  await bedFunction.prime();
  const example = { id: 0n, depth: 0, isCovered: true, tags: ['Aloe', 'Ficus'] };
  expect(seen).toEqual([[example], true]);
});

test('a function of another store warms up with its own items', async () => {
  const seen: unknown[] = [];
  const { prime: warmUp } = storeFunction({
    open: (database, nameOf) => async () => {
      const Key = { bed: 'alice#7', time: '2026-11-22T15:04:05Z' };
      const { Item } = await database.send(new GetCommand({ TableName: nameOf('plants'), Key }));
      return Item;
    },
    stored: { time: '2026-11-22T15:04:05Z', litres: 7 },
    input: {},
    run: () => async () => ({ code: 'PLANT_DELETED', status: 204 }),
    warmUp: async (read) => seen.push(await read()),
  });
  await warmUp();
  const litres = NumberValue.from('7');
  expect(seen).toEqual([{ time: '2026-11-22T15:04:05Z', litres }]);
});

test('a failure of a warm-up is logged with its cause and the errors that were muted', async () => {
  log = [];
  await prime(connect(), {}, async () => {
    console.info('muted');
    console.error('first', 'muted');
    throw new TypeError('outer', { cause: new RangeError('inner') });
  });
  console.info({ code: 'AFTER' });
  const inner = { name: 'RangeError', message: 'inner' };
  const cause = { name: 'TypeError', message: 'outer', cause: inner };
  expect(log).toMatchObject([
    { code: 'PRIMING_FAILED', cause, errors: ['first', 'muted'] },
    { code: 'AFTER' },
  ]);
});
