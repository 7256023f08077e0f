import { Agent } from 'node:http';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { issueToken, revokeToken, rotateToken } from '../../bin/administration/access-tokens.ts';
import {
  allScopes,
  operationNames,
  operations,
  type Scope,
} from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { engine } from '../support/database/engines.ts';
import { type Fault, fail, reset, say, startFaultProxy } from '../support/database/proxy.ts';
import { fillPath } from '../support/fill-path.ts';
import { type Answer, send as sendRaw } from '../support/http/http-client.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { type Service, startService } from '../support/service/service.ts';

// Tokens in the whole service, whose gateway caches no verdict. The contract tries the headers.

let database: Awaited<ReturnType<ReturnType<typeof engine>['start']>>;
let proxy: Awaited<ReturnType<typeof startFaultProxy>>;
let service: Service;
beforeAll(async () => {
  database = await engine().start();
  proxy = await startFaultProxy();
  const context = { 'plant-store:authorizer-cache': 0 };
  service = await startService({ context, database, between: proxy.before });
});
const agent = new Agent({ keepAlive: true });
afterAll(async () => {
  agent.destroy();
  await service?.stop().finally(database.stop);
  await proxy.stop();
});

const table = tableIds.accessTokens;
const now = () => Math.floor(Date.now() / 1000);
const issue = (
  scopes: Scope[],
  { expires = (now() + 3600) as number | undefined, clock = Date.now } = {},
) => issueToken(service.database, table, { owner: 'ann', scopes, label: '', expires }, clock);
const rotate = async (scopes: Scope[], overlap: number) => {
  const old = await issue(scopes);
  const options = { overlap, expires: undefined };
  return { old, next: await rotateToken(service.database, table, old.id, options) };
};

/** Tokens in every state that they can be in. */
const states: Record<string, (scopes: Scope[]) => Promise<{ token: string }>> = {
  active: issue,
  'active for ever': (scopes) => issue(scopes, { expires: undefined }),
  'active until its overlap ends': async (scopes) => (await rotate(scopes, 3600)).old,
  'active after a rotation': async (scopes) => (await rotate(scopes, 0)).next,
  'expired by a rotation': async (scopes) => (await rotate(scopes, 0)).old,
  expired: (scopes) => issue(scopes, { expires: now() - 1, clock: () => Date.now() - 10_000 }),
  async revoked(scopes) {
    const issued = await issue(scopes);
    await revokeToken(service.database, table, issued.id);
    return issued;
  },
  unknown: async () => ({ token: forge() }),
  wrong: async (scopes) => ({ token: forge((await issue(scopes)).id) }),
  async mistyped(scopes) {
    const { token } = await issue(scopes);
    return { token: token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')) };
  },
  async damaged(scopes) {
    const issued = await issue(scopes);
    const Item = { ...issued.record, owner: 7 };
    await service.database.send(new PutCommand({ TableName: table, Item }));
    return issued;
  },
};
async function tokenIn(state: string, scopes: Scope[]): Promise<string> {
  const { token = '' } = (await states[state]?.(scopes)) ?? {};
  // An invented or mistyped token is a secret, too.
  service.tokens.push(token);
  return token;
}

/** Calls each operation. Returns the answers with the scope that each needs. */
async function callAll(token: string): Promise<[Scope, Answer][]> {
  const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${token}`];
  const answers: [Scope, Answer][] = [];
  for (const name of operationNames) {
    const { method, path, scope } = operations[name];
    const body = eventOf(name).body ?? undefined;
    const request = { method, path: `/${fillPath(path, '-9')}`, headers, body };
    answers.push([scope, await sendRaw(service.baseUrl, request, agent)]);
  }
  return answers;
}

const verdictOf = ({ status, body }: Answer): string => {
  const { type = '' } = body ? JSON.parse(body) : {};
  const code = String(type).replace('urn:problem-type:plant-store:', '');
  return code === 'plant-not-found' || status < 300 ? 'done' : code;
};

function expectedVerdict(state: string, granted: Scope[], needed: Scope): string {
  if (state === 'damaged') return 'unavailable';
  if (!state.startsWith('active')) return 'unauthorized';
  return granted.includes(needed) ? 'done' : 'insufficient-scope';
}

const logged = (from: number) => service.log.slice(from).map((line) => JSON.parse(line).message);

test.each(Object.keys(states))(
  'a token that is %s: every operation and scope gets its verdict, for one read',
  async (state) => {
    for (const granted of [...allScopes.map((scope) => [scope]), allScopes]) {
      const token = await tokenIn(state, granted);
      const from = service.log.length;
      const answers = await callAll(token);
      const verdicts = answers.map(([scope, answer]) => [granted, scope, verdictOf(answer)]);
      const expected = answers.map(([scope]) => [
        ...[granted, scope],
        expectedVerdict(state, granted, scope),
      ]);
      expect(verdicts).toEqual(expected);
      const reads = state === 'mistyped' ? [] : answers.map(() => 'GetItem');
      expect(proxy.seen(token.slice(4, 16))).toEqual(reads);
      const [name = ''] = state.split(' ');
      expect(new Set(logged(from).flatMap((message) => message?.reason ?? []))).toEqual(
        new Set(['active', 'damaged'].includes(name) ? [] : [name]),
      );
    }
  },
);

test('no answer tells one refused token from another', async () => {
  const answers = new Set<string>();
  for (const state of ['expired', 'revoked', 'unknown', 'wrong', 'mistyped'])
    for (const [, { headers, ...answer }] of await callAll(await tokenIn(state, allScopes))) {
      const { date: _, ...others } = headers;
      const text = JSON.stringify({ ...answer, headers: others });
      answers.add(text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'a request id'));
    }
  const [answer = '', ...more] = answers;
  expect(more).toEqual([]);
  expect(JSON.parse(answer)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="plant-store"' },
  });
});

test.each<[string, Fault]>([
  ['says Unauthorized', fail(401, 'Unauthorized', {}, 'Unauthorized')],
  ['lacks the table', fail(400, 'ResourceNotFoundException')],
  ['closes the connection', reset],
  ['has an invalid record', say('{"Item":{"id":{"S":"abcdefghijkl"}}}', 'not done')],
])('if the database %s, a token is answered with 503 and the cause is logged', async (_, fault) => {
  const token = await tokenIn('active', allScopes);
  proxy.play(token.slice(4, 16), fault);
  const from = service.log.length;
  for (const [, answer] of await callAll(token)) expect(verdictOf(answer)).toBe('unavailable');
  expect(logged(from)).toContainEqual(expect.objectContaining({ code: 'AUTHORIZER_FAILED' }));
});
