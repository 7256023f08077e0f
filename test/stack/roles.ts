import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { forge } from '../support/access-tokens/forge.ts';
import { startDynalite } from '../support/database/dynalite.ts';
import { lambdaContext, proxyEvent } from '../support/service/proxy-event.ts';
import { lambdaEnvironment } from '../support/stack/lambda-environment.ts';
import { idsOf, statementsOf, templates } from './templates.ts';

/** What happens to a write: DynamoDB does not get it, or its answer does not arrive. */
type Loss = 'request' | 'answer';

const create = (name: string): APIGatewayProxyEvent =>
  proxyEvent({ body: JSON.stringify({ id: 1, name }) });
const list = proxyEvent({ query: { limit: ['1'] } });
const remove = proxyEvent({ pathParameters: { id: '1' } });
const authorize = {
  type: 'TOKEN',
  methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:api/v1/GET/plants',
  authorizationToken: `Bearer ${forge()}`,
};

/** A case for each outcome for which a function asks DynamoDB. They follow one another. */
const cases: { function: string; entry: string; event: object; outcome: unknown; loses?: Loss }[] =
  [
    { function: 'CreatePlant', entry: 'create-plant', event: create('Ficus'), outcome: 201 },
    { function: 'CreatePlant', entry: 'create-plant', event: create('Ficus'), outcome: 200 },
    { function: 'CreatePlant', entry: 'create-plant', event: create('Aloe'), outcome: 409 },
    { function: 'ListPlants', entry: 'list-plants', event: list, outcome: 200 },
    {
      function: 'DeletePlant',
      entry: 'delete-plant',
      event: remove,
      outcome: 503,
      loses: 'request',
    },
    { function: 'DeletePlant', entry: 'delete-plant', event: remove, outcome: 204 },
    { function: 'DeletePlant', entry: 'delete-plant', event: remove, outcome: 404 },
    {
      function: 'CreatePlant',
      entry: 'create-plant',
      event: create('Ficus'),
      outcome: 503,
      loses: 'request',
    },
    {
      function: 'CreatePlant',
      entry: 'create-plant',
      event: create('Ficus'),
      outcome: 201,
      loses: 'answer',
    },
    {
      function: 'DeletePlant',
      entry: 'delete-plant',
      event: remove,
      outcome: 204,
      loses: 'answer',
    },
    { function: 'Authorizer', entry: 'authorize', event: authorize, outcome: 'Unauthorized' },
  ];

const actionOf = ({ headers }: IncomingMessage): string =>
  `${headers['x-amz-target']}`.replace('DynamoDB_20120810.', '');

/** Returns which table and action of DynamoDB a request asks for, like `Plants Query`. */
async function accessOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  await once(request, 'end');
  const { TableName } = JSON.parse(`${Buffer.concat(chunks)}`);
  return `${TableName} ${actionOf(request)}`;
}

/** Loses a request, or the answer to it. */
function lose(loss: Loss, request: IncomingMessage, response: ServerResponse): void {
  if (loss === 'request') {
    request.destroy();
    return;
  }
  response.end = () => response.destroy();
}

/** Returns the actions that a function's role allows, each with its table. */
const allowedTo = (functionId: string): string[] =>
  statementsOf(templates.default, functionId)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().map((action: string) => `${Resource['Fn::GetAtt']?.[0]} ${action}`),
    )
    .filter((access) => access.includes(' dynamodb:'))
    .map((access) => access.replace('dynamodb:', ''))
    .sort();

test('each role allows the actions that its function takes, and no others', async () => {
  const functionIds = idsOf(templates.default, 'AWS::Lambda::Function');
  const taken = new Map(functionIds.map((id) => [id, new Set<string>()]));
  let current: (typeof cases)[number] | undefined;
  const endpoint = await startDynalite(async (request, response) => {
    const { function: name = '', loses = undefined } = current ?? {};
    if (loses && ['PutItem', 'DeleteItem'].includes(actionOf(request))) {
      lose(loses, request, response);
    }
    const access = await accessOf(request);
    taken.get(name)?.add(access);
  });
  Object.assign(process.env, lambdaEnvironment(endpoint));
  const { info, error } = console;
  Object.assign(console, { info: () => undefined, error: () => undefined });

  const outcomes: unknown[] = [];
  for (const each of cases) {
    current = each;
    const { handler } = await import(`../../functions/${each.entry}.ts`);
    const answer = await handler(each.event, lambdaContext()).catch((refusal: Error) => refusal);
    outcomes.push({ ...each, outcome: answer.statusCode ?? answer.message });
  }
  Object.assign(console, { info, error });
  expect(outcomes).toEqual(cases);

  const accesses = Object.fromEntries([...taken].map(([id, set]) => [id, [...set].sort()]));
  expect(accesses).toEqual(Object.fromEntries(functionIds.map((id) => [id, allowedTo(id)])));
});
