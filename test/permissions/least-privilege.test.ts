import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { operationNames, operations } from '../../functions/shared/operations.ts';
import { type Database, startDatabase } from '../../lib/database/embedded-database.ts';
import { readTemplate, type Template } from '../../lib/emulator/template/template.ts';
import { type FaultProxy, loseAnswer, pass, startFaultProxy } from '../support/database/proxy.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { type Service, startService } from '../support/service/service.ts';

let service: Service;
let database: Database;
let proxy: FaultProxy;
let template: Template;
const used = new Set<string>();

beforeAll(async () => {
  proxy = await startFaultProxy();
  const onCall = ({ functionName, action }: { functionName: string; action: string }) =>
    used.add(`${functionName} ${action}`);
  database = await startDatabase({ port: 0, onCall });
  const context = { 'plant-store:authorizer-cache': 0 };
  service = await startService({ database, context, between: proxy.before });
  template = readTemplate(service.assembly);
});
afterAll(async () => {
  await service?.stop();
  await database?.stop();
});

interface Call {
  method: string;
  path: string;
  body: string | null;
  successes: object;
}

interface Grant {
  functionName: string;
  role: string;
  action: string;
  resource: string;
}

/** Returns each action on a table that the role of a function allows. */
function granted(): Grant[] {
  const policies = [...template.of('AWS::IAM::Policy').values()];
  return [...template.of('AWS::Lambda::Function')].flatMap(([functionName, { Role }]) => {
    const role = Role.slice(Role.lastIndexOf('/') + 1);
    return policies
      .filter(({ Roles }) => Roles.includes(role))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .flatMap(({ Action, Resource }) =>
        [Action].flat().map((action) => ({ functionName, role, action, resource: `${Resource}` })),
      )
      .filter(({ action }) => action.startsWith('dynamodb:'));
  });
}

/** Returns the template without an action of a role. */
function without({ role, action }: Grant): Template {
  const policies = structuredClone(template.of('AWS::IAM::Policy'));
  for (const { Roles, PolicyDocument } of policies.values())
    for (const statement of Roles.includes(role) ? [PolicyDocument.Statement].flat() : [])
      statement.Action = [statement.Action].flat().filter((other) => other !== action);
  const of = (type: Parameters<typeof template.of>[0]) =>
    type === 'AWS::IAM::Policy' ? policies : template.of(type);
  return { ...template, of } as Template;
}

let owners = 0;

const calls = operationNames.map((name) => ({ ...operations[name], ...eventOf(name) }) as Call);
const inOrder = ['POST', 'GET', 'DELETE'].flatMap((method) =>
  calls.filter((call) => call.method === method),
);

/**
 * Sends the requests that need all permissions: each operation's example, creates again, and writes
 * whose answers get lost. Returns how the statuses differ from success.
 */
async function useEverything(): Promise<string[]> {
  owners += 1;
  const owner = `owner${owners}`;
  const headers = {
    Authorization: `Bearer ${await service.issue(owner)}`,
    'Content-Type': 'application/json',
  };
  const failures: string[] = [];
  async function send({ method, path, body, successes }: Call) {
    const { status } = await fetch(service.baseUrl + path, { method, headers, body });
    if (!(status in successes)) failures.push(`${method} ${path}: ${status}`);
  }
  const creates = calls.filter(({ method }) => method === 'POST');
  for (const call of [...creates, ...inOrder]) await send(call);
  for (const call of inOrder.filter(({ method }) => method !== 'GET')) {
    proxy.play(owner, loseAnswer, pass);
    // Another id, because not every resource has a delete.
    await send(JSON.parse(JSON.stringify(call).replaceAll('7', '8')));
  }
  return failures;
}

test('the functions use every action that their roles allow, and no other', async () => {
  used.clear();
  const start = service.log.length;
  expect(await useEverything()).toEqual([]);
  expect(service.log.slice(start).join('\n')).not.toContain('AccessDenied');
  const allowed = granted().map(({ functionName, action }) => `${functionName} ${action}`);
  expect([...used].sort()).toEqual(allowed.sort());
});

test('a function that lacks one of its actions fails, and logs action and table', async () => {
  for (const grant of granted()) {
    const { functionName, role, action, resource } = grant;
    database.enforce(without(grant));
    const start = service.log.length;
    const failures = await useEverything();
    const log = service.log.slice(start).join('\n');
    const user = `arn:aws:sts::000000000000:assumed-role/${role}/${functionName}`;
    const reason =
      `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ` +
      `because no identity-based policy allows the ${action} action`;
    expect({ grant, log }).toMatchObject({ log: expect.stringContaining(reason) });
    expect({ grant, failed: failures.some((failure) => / 5\d\d$/.test(failure)) }).toEqual({
      grant,
      failed: true,
    });
  }
  database.enforce(template);
  expect(await useEverything()).toEqual([]);
});
