import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type {
  APIGatewayAuthorizerResult,
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  APIGatewayTokenAuthorizerEvent,
} from 'aws-lambda';
import { operationNames, operations } from '../../functions/shared/operations.ts';
import { type FunctionPool, functionPool } from '../../lib/emulator/lambda/function-pool.ts';
import { readTemplate } from '../../lib/emulator/template/template.ts';
import { answered } from '../support/plant.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { type Service, startService } from '../support/service/service.ts';
import authorizeJson from './authorize.json' with { type: 'json' };
import createPlant from './create-plant.json' with { type: 'json' };
import deletePlant from './delete-plant.json' with { type: 'json' };
import listPlants from './list-plants.json' with { type: 'json' };

const pools: FunctionPool[] = [];
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.stop()));
  await service?.stop();
});

/** Returns the answer of a deployed function to an event. */
async function invoke(FunctionName: string, event: object) {
  const template = readTemplate(service.assembly);
  const properties = template.of('AWS::Lambda::Function').get(FunctionName);
  if (!properties) throw new Error(`There is no function ${FunctionName}.`);
  const lambda = { ...properties, FunctionName, folder: template.folder(FunctionName) };
  const pool = functionPool(lambda, service.databaseEndpoint, (_, line) => service.log.push(line));
  pools.push(pool);
  const outcome = await pool.invoke(event, JSON.parse);
  if (outcome === 'RequestTooLarge') throw new Error(outcome);
  return 'error' in outcome ? outcome : outcome.result;
}

test('the events create, list and delete a plant', async () => {
  const monstera = answered({ name: 'Monstera', tag: 'shade' });
  const plant = (event: APIGatewayProxyEvent, name: string): Promise<APIGatewayProxyResult> =>
    invoke(name, event);
  expect(await plant(createPlant, 'CreatePlant')).toMatchObject({
    statusCode: 201,
    headers: { Location: '/v1/plants/7' },
    body: JSON.stringify(monstera),
  });
  expect(await plant(listPlants, 'ListPlants')).toMatchObject({
    statusCode: 200,
    body: JSON.stringify([monstera]),
  });
  expect(await plant(deletePlant, 'DeletePlant')).toMatchObject({ statusCode: 204, body: '' });
});

test.each(operationNames)(
  'the event of %s, if docs/sam-local.md has one, is what tests send',
  (name) => {
    const file = join(import.meta.dirname, `${operations[name].entry}.json`);
    const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : eventOf(name, 'demo');
    expect(found).toEqual(eventOf(name, 'demo'));
  },
);

test('the event of the authorizer has an unknown token, and works with an issued one', async () => {
  // JSON has no literal types.
  const event: APIGatewayTokenAuthorizerEvent = { ...authorizeJson, type: 'TOKEN' };
  expect(authorizeJson.type).toBe(event.type);
  expect(await invoke('Authorizer', event)).toMatchObject({
    error: { errorMessage: 'Unauthorized' },
  });

  const token = await service.issue('demo', ['plants:read']);
  const answer: APIGatewayAuthorizerResult = await invoke('Authorizer', {
    ...event,
    authorizationToken: event.authorizationToken.replace(/pst_\w+/, token),
  });
  expect(answer).toMatchObject({ principalId: 'demo', context: { owner: 'demo' } });
  expect(answer.policyDocument.Statement).toMatchObject([
    { Effect: 'Allow', Resource: expect.arrayContaining([event.methodArn]) },
  ]);
});
