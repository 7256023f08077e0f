import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { exampleId, examplePlant } from '../../bin/command-line/example-plant.ts';
import { operationNames, operations } from '../../functions/shared/operations.ts';
import { root } from '../support/checkout.ts';
import { finallyDo } from '../support/cleanup.ts';
import { answered } from '../support/plant.ts';
import authorize from '../support/sam-events/authorize.json' with { type: 'json' };
import createPlant from '../support/sam-events/create-plant.json' with { type: 'json' };
import deletePlant from '../support/sam-events/delete-plant.json' with { type: 'json' };
import listPlants from '../support/sam-events/list-plants.json' with { type: 'json' };
import { eventOf } from '../support/service/lambda-events.ts';
import { openStore } from '../support/service/store.ts';

const store = await openStore();
finallyDo(store.stop);

test('the events create, list and delete a plant', async () => {
  const body = JSON.stringify(answered(examplePlant));
  const created = await store.invoke('createPlant', createPlant);
  expect(created).toMatchObject({
    status: 201,
    headers: { location: `/v1/plants/${exampleId}` },
    body,
  });
  expect(await store.invoke('listPlants', listPlants)).toMatchObject({ body: `[${body}]` });
  expect(await store.invoke('deletePlant', deletePlant)).toMatchObject({ status: 204, body: '' });
});

test.each(operationNames)(
  'the event of %s, if docs/sam-local.md has one, is what tests send',
  (name) => {
    const file = join(root, 'test', 'support', 'sam-events', `${operations[name].entry}.json`);
    const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : eventOf(name, 'demo');
    expect(found).toEqual(eventOf(name, 'demo'));
  },
);

test('the event of the authorizer has an unknown token, and works with an issued one', async () => {
  const { type, methodArn, authorizationToken } = authorize;
  expect(type).toBe('TOKEN');
  await expect(store.authorize(authorizationToken)).rejects.toThrow(/^Unauthorized$/);
  const token = await store.issue('demo', ['plants:read']);
  const answer = await store.authorize(authorizationToken.replace(/pst_\w+/, token));
  expect(answer).toMatchObject({ principalId: 'demo', context: { owner: 'demo' } });
  expect(answer.policyDocument.Statement).toMatchObject([
    { Effect: 'Allow', Resource: expect.arrayContaining([methodArn]) },
  ]);
});
