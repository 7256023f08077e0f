import { beforeAll, expect, test } from '@jest/globals';
import { isRead } from '../../functions/shared/dynamodb.ts';
import { type Operation, operationNames, operations } from '../../functions/shared/operations.ts';
import { readTemplate } from '../../lib/offline/template/template.ts';
import { finallyDo } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/open-database.ts';
import { type FaultProxy, loseAnswer, pass, startFaultProxy } from '../support/database/proxy.ts';
import { answersOf, eventOf } from '../support/service/lambda-events.ts';
import { type Service, startService } from '../support/service/service.ts';

const used = new Set<string>();
/** Reads that may miss what was written before, which cost half a unit. */
const stale = new Set<string>();
let service: Service;
let proxy: FaultProxy;

beforeAll(async () => {
  proxy = await startFaultProxy();
  const database = await openDatabase({
    onCall({ functionName, action, units }) {
      used.add(`${functionName} ${action}`);
      if (!Number.isInteger(units.reads)) {
        stale.add(`${functionName} ${action} may be stale: give the command ConsistentRead`);
      }
    },
  });
  const context = { 'plant-store:authorizer-cache': 0 };
  service = await startService({ database, context, between: proxy.before });
  finallyDo(() => service.stop());
  await callEveryOperation();
});

interface Call {
  name: Operation;
  method: string;
  path: string;
  body: string | null;
  tables: Record<string, readonly string[]>;
}

/** Returns each action on a table that the role of a function allows. */
function allowedActions(): string[] {
  const template = readTemplate(service.assembly);
  const policies = [...template.of('AWS::IAM::Policy').values()];
  return [...template.of('AWS::Lambda::Function')].flatMap(([functionName, { Role }]) =>
    policies
      .filter(({ Roles }) => Roles.includes(Role.slice(Role.lastIndexOf('/') + 1)))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .flatMap(({ Action }) => Action)
      .filter((action) => action.startsWith('dynamodb:'))
      .map((action) => `${functionName} ${action}`),
  );
}

const calls = operationNames.map(
  (name) => ({ name, ...operations[name], ...eventOf(name) }) as Call,
);
/** Creates come first, and deletes last. */
const inOrder = [
  ...calls.filter(({ method }) => method === 'POST'),
  ...calls.filter(({ method }) => method !== 'POST' && method !== 'DELETE'),
  ...calls.filter(({ method }) => method === 'DELETE'),
];
const isWrite = ({ tables }: Call) =>
  Object.values(tables)
    .flat()
    .some((action) => !isRead(action));

const cure =
  'delete it from the row in functions/shared/operations.ts, or see to it that the example in ' +
  'bin/openapi/descriptions.ts, or the call of it again, uses it';

/** Calls with each operation's example, creates again, and writes whose answers get lost. */
async function callEveryOperation(): Promise<void> {
  const headers = {
    Authorization: `Bearer ${await service.issue('owner')}`,
    'Content-Type': 'application/json',
  };
  async function send({ name, method, path, body }: Call, ...others: number[]) {
    const { status } = await fetch(service.baseUrl + path, { method, headers, body });
    const isExpected = [...answersOf(name), ...others].includes(status);
    expect({ call: `${method} ${path}`, status, isExpected }).toMatchObject({ isExpected: true });
  }
  const creates = calls.filter(({ method }) => method === 'POST');
  for (const call of [...creates, ...inOrder]) {
    await send(call);
  }
  for (const call of inOrder.filter(isWrite)) {
    proxy.play('owner', loseAnswer, pass);
    // Another id, because not every resource has a delete.
    await send(JSON.parse(JSON.stringify(call).replaceAll('7', '8')), 503);
  }
}

test('the functions use every action that their roles allow, and no other', () => {
  expect(service.log.join('\n')).not.toContain('AccessDenied');
  const unused = allowedActions().filter((action) => !used.has(action));
  expect(unused.map((action) => `${action} is used by no request: ${cure}`)).toEqual([]);
});

test('every read of a function sees what was written before', () => {
  expect([...stale]).toEqual([]);
});
