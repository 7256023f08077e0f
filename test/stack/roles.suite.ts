import { expect, test } from '@jest/globals';
import { functionVariables } from '../../lib/offline/functions.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  type Fault,
  loseResponse,
  pass,
  reset,
  startFaultProxy,
} from '../support/database/proxy.ts';
import { lambdaContext, proxyEvent, tokenEvent } from '../support/service/proxy-event.ts';
import { idsOf, statementsOf, templates } from './templates.ts';

const token = forge();
const functions = {
  CreatePlant: { entry: 'create-plant', subject: 'alice' },
  ListPlants: { entry: 'list-plants', subject: 'alice' },
  DeletePlant: { entry: 'delete-plant', subject: 'alice' },
  Authorizer: { entry: 'authorize', subject: token.slice(4, 16) },
};

interface Case {
  function: keyof typeof functions;
  event: object;
  /** A fault for each command. The last one repeats. */
  faults: Fault[];
  /** The status, or the message of an error. */
  outcome: number | string;
}

const create = (name: string) => proxyEvent({ body: JSON.stringify({ id: 1, name }) });
const list = proxyEvent({ query: { limit: ['1'] } });
const remove = proxyEvent({ pathParameters: { id: '1' } });
const authorize = tokenEvent(`Bearer ${token}`);

/** A case for each outcome that depends on DynamoDB, in this order. */
const cases: Case[] = [
  { function: 'CreatePlant', event: create('Ficus'), faults: [pass], outcome: 201 },
  { function: 'CreatePlant', event: create('Ficus'), faults: [pass], outcome: 200 },
  { function: 'CreatePlant', event: create('Aloe'), faults: [pass], outcome: 409 },
  { function: 'ListPlants', event: list, faults: [pass], outcome: 200 },
  { function: 'DeletePlant', event: remove, faults: [reset, pass], outcome: 503 },
  { function: 'DeletePlant', event: remove, faults: [pass], outcome: 204 },
  { function: 'DeletePlant', event: remove, faults: [pass], outcome: 404 },
  { function: 'CreatePlant', event: create('Ficus'), faults: [reset, pass], outcome: 503 },
  { function: 'CreatePlant', event: create('Ficus'), faults: [loseResponse, pass], outcome: 201 },
  { function: 'DeletePlant', event: remove, faults: [loseResponse, pass], outcome: 204 },
  { function: 'Authorizer', event: authorize, faults: [pass], outcome: 'Unauthorized' },
];

/** Returns the actions that a function's role allows, each with its table. */
const allowedTo = (functionId: string): string[] =>
  statementsOf(templates.default, functionId)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().map((action: string) => `${Resource['Fn::GetAtt']?.[0]} ${action}`),
    )
    .filter((access) => access.includes(' dynamodb:'))
    .map((access) => access.replace('dynamodb:', ''))
    .sort();

test('each role allows the actions that its function uses, and no others', async () => {
  const functionIds = idsOf(templates.default, 'AWS::Lambda::Function');
  const used = new Map(functionIds.map((id) => [id, new Set<string>()]));
  const noting =
    (id: string, fault: Fault): Fault =>
    (exchange) => {
      used.get(id)?.add(exchange.access);
      return fault(exchange);
    };

  const { endpoint } = await openDatabase();
  const proxy = await startFaultProxy();
  Object.assign(process.env, functionVariables(proxy.before(endpoint)));
  const { info, error } = console;
  Object.assign(console, { info: () => undefined, error: () => undefined });
  const outcomes: unknown[] = [];
  for (const each of cases) {
    const { entry, subject } = functions[each.function];
    proxy.play(subject, ...each.faults.map((fault) => noting(each.function, fault)));
    const { handler } = await import(`../../functions/${entry}.ts`);
    const result = await handler(each.event, lambdaContext()).catch((error: Error) => error);
    outcomes.push({ ...each, outcome: result.statusCode ?? result.message });
  }
  Object.assign(console, { info, error });
  expect(outcomes).toEqual(cases);

  const accesses = Object.fromEntries([...used].map(([id, set]) => [id, [...set].sort()]));
  expect(accesses).toEqual(Object.fromEntries(functionIds.map((id) => [id, allowedTo(id)])));
});
