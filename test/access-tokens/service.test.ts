import { Agent } from 'node:http';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { issueToken, revokeToken, rotateToken } from '../../bin/administration/access-tokens.ts';
import { tokenId } from '../../functions/access-tokens/token.ts';
import {
  allScopes,
  operationNames,
  operations,
  type Scope,
} from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { token as runToken } from '../administration/command.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { badShapes, goodShapes } from '../support/access-tokens/shapes.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, send as sendRaw } from '../support/http/http-client.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { type Service, startService } from '../support/service/service.ts';

// Tokens in the whole service. Its gateway caches no verdict, unless a test says so.

let service: Service;
beforeAll(async () => {
  service = await startService({ context: { 'plant-store:authorizer-cache': 0 } });
});
const agent = new Agent({ keepAlive: true });
afterAll(() => {
  agent.destroy();
  return service?.stop();
});

const table = tableIds.accessTokens;
const now = () => Math.floor(Date.now() / 1000);
const issue = async (
  scopes: Scope[],
  { expires = (now() + 3600) as number | undefined, clock = Date.now } = {},
) => {
  const grant = { owner: 'ann', scopes, label: '', expires };
  const issued = await issueToken(service.database, table, grant, clock);
  service.tokens.push(issued.token);
  return issued;
};
const rotate = async (scopes: Scope[], overlap: number) => {
  const old = await issue(scopes);
  const options = { overlap, expires: undefined };
  const issued = await rotateToken(service.database, table, old.id, options);
  service.tokens.push(issued.token);
  return { old: old.token, next: issued.token };
};

/** Sends a request with its Authorization header as it is, or without one. */
const send = (
  method: string,
  path: string,
  authorization?: string,
  baseUrl = service.baseUrl,
): Promise<Answer> => {
  const headers = ['Content-Type', 'application/json'];
  if (authorization !== undefined) headers.push('Authorization', authorization);
  const operation = operationNames.find(
    (name) => operations[name].method === method && `/${operations[name].path}` === path,
  );
  const body = (operation && eventOf(operation).body) ?? undefined;
  return sendRaw(baseUrl, { method, path, headers, body }, agent);
};

/** Each operation with the scope that it needs, for a positive and a negative id. */
const routes = Object.values(operations).flatMap(({ method, path, scope }) =>
  [...new Set(['2', '-9'].map((id) => `/${path.replace('{id}', id)}`))].map(
    (url): [method: string, path: string, Scope] => [method, url, scope],
  ),
);

/** Tokens in every state that they can be in. */
const states: Record<string, (scopes: Scope[]) => Promise<string>> = {
  active: async (scopes) => (await issue(scopes)).token,
  'active for ever': async (scopes) => (await issue(scopes, { expires: undefined })).token,
  'active until its overlap ends': async (scopes) => (await rotate(scopes, 3600)).old,
  'active after a rotation': async (scopes) => (await rotate(scopes, 0)).next,
  'expired by a rotation': async (scopes) => (await rotate(scopes, 0)).old,
  expired: async (scopes) =>
    (await issue(scopes, { expires: now() - 1, clock: () => Date.now() - 10_000 })).token,
  revoked: async (scopes) => {
    const { id, token } = await issue(scopes);
    await revokeToken(service.database, table, id);
    return token;
  },
  unknown: async () => forge(),
  wrong: async (scopes) => forge((await issue(scopes)).id),
  mistyped: async (scopes) =>
    (await issue(scopes)).token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
  damaged: async (scopes) => {
    const { token, record } = await issue(scopes);
    const Item = { ...record, owner: 7 };
    await service.database.send(new PutCommand({ TableName: table, Item }));
    return token;
  },
};

const tokenIn = async (state: string, scopes: Scope[]): Promise<string> => {
  const token = (await states[state]?.(scopes)) ?? '';
  // An invented or mistyped token is a secret, too.
  service.tokens.push(token);
  return token;
};

const verdictOf = ({ status, body }: Answer): string => {
  const { type = '' } = body ? JSON.parse(body) : {};
  const code = String(type).replace('urn:problem-type:plant-store:', '');
  return code === 'plant-not-found' || status < 300 ? 'done' : code;
};

function expectedVerdict(
  state: string,
  shape: string | undefined,
  scopes: Scope[],
  needed: Scope,
): string {
  if (!goodShapes.includes(shape ?? '')) return 'unauthorized';
  if (state === 'damaged') return 'unavailable';
  if (!state.startsWith('active')) return 'unauthorized';
  return scopes.includes(needed) ? 'done' : 'insufficient-scope';
}

test.each(Object.keys(states))(
  'a token that is %s: every header, operation and scope gets its verdict',
  async (state) => {
    const grants: Scope[][] = [['plants:read'], ['plants:write'], allScopes];
    const tokens = new Map<Scope[], string>();
    for (const scopes of grants) tokens.set(scopes, await tokenIn(state, scopes));
    // The gateway refuses a bad shape before anything looks at the token in it.
    const bad = state === 'active' ? [undefined, ...badShapes] : [];
    const cases = grants.flatMap((scopes) =>
      [...goodShapes, ...(scopes === allScopes ? bad : [])].flatMap((shape) =>
        routes.map(([method, path, needed]) => ({
          scopes,
          shape,
          method,
          path,
          needed,
          authorization: shape?.replaceAll('TOKEN', tokens.get(scopes) ?? ''),
        })),
      ),
    );
    const line = ({ shape, scopes, method, path }: (typeof cases)[number], verdict: string) =>
      `${shape} (${scopes}) ${method} ${path}: ${verdict}`;
    const logged = service.log.length;
    const verdicts = [];
    for (const one of cases)
      verdicts.push(line(one, verdictOf(await send(one.method, one.path, one.authorization))));
    expect(verdicts).toEqual(
      cases.map((one) => line(one, expectedVerdict(state, one.shape, one.scopes, one.needed))),
    );

    const reasons = service.log
      .slice(logged)
      .flatMap((one) => JSON.parse(one).message?.reason ?? []);
    expect([...new Set(reasons)]).toEqual(
      ['active', 'damaged'].includes(state.split(' ')[0] ?? '') ? [] : [state.split(' ')[0]],
    );
  },
);

test('no answer tells one refused token from another', async () => {
  const answers = new Set<string>();
  for (const state of ['expired', 'revoked', 'unknown', 'wrong', 'mistyped']) {
    for (const [method, path] of routes) {
      const token = await tokenIn(state, allScopes);
      const { headers, ...answer } = await send(method, path, `Bearer ${token}`);
      const { date: _, ...others } = headers;
      const text = JSON.stringify({ ...answer, headers: others });
      answers.add(text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'a request id'));
    }
  }
  const [answer = '', ...more] = answers;
  expect(more).toEqual([]);
  expect(JSON.parse(answer)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="plant-store"' },
  });
});

test('requests are served until revoke begins, and refused once it has returned', async () => {
  const { id, token } = await issue(allScopes);
  type Phase = 'before' | 'during' | 'after';
  let phase = 'before' as Phase;
  const answered: { began: Phase; ended: Phase; status: number }[] = [];
  /** Calls until a call has begun after the revocation. */
  const caller = async () => {
    for (let began = phase; began !== 'after'; ) {
      began = phase;
      const { status } = await send('GET', '/plants', `Bearer ${token}`);
      answered.push({ began, ended: phase, status });
    }
  };
  // The first answer takes long, because the functions start.
  await send('GET', '/plants', `Bearer ${token}`);
  const traffic = Promise.all([caller(), caller(), caller()]);
  await eventually('an answer', () => answered.length > 0);
  phase = 'during';
  const { databaseEndpoint } = service;
  const { code } = await runToken(`revoke ${id} --dynamodb-endpoint ${databaseEndpoint}`);
  phase = 'after';
  expect(code).toBe(0);
  await eventually('the last answers', traffic);
  const statuses = (chosen: typeof answered) => [...new Set(chosen.map(({ status }) => status))];
  expect(statuses(answered.filter(({ ended }) => ended === 'before'))).toEqual([200]);
  expect(statuses(answered.filter(({ began }) => began === 'after'))).toEqual([401]);
});

test('a cached verdict is right for every operation, and outlives a revocation', async () => {
  const cached = await startService();
  const call = (token: string) => async (method: string, path: string) =>
    verdictOf(await send(method, path, `Bearer ${token}`, cached.baseUrl));
  const judgements = () =>
    cached.log.filter((line) => JSON.parse(line).message?.code === 'TOKEN_ACCEPTED').length;
  try {
    const reader = call(await cached.issue('ann', ['plants:read']));
    expect(await reader('POST', '/plants')).toBe('insufficient-scope');
    expect(await reader('GET', '/plants')).toBe('done');
    expect(await reader('DELETE', '/plants/2')).toBe('insufficient-scope');
    expect(judgements()).toBe(1);

    const writerToken = await cached.issue('ann', ['plants:write']);
    const writer = call(writerToken);
    expect(await writer('DELETE', '/plants/2')).toBe('done');
    await revokeToken(cached.database, table, tokenId(writerToken) ?? '');
    expect(await writer('DELETE', '/plants/9223372036854775807')).toBe('done');
    expect(await writer('POST', '/plants')).toBe('done');
    expect(await writer('GET', '/plants')).toBe('insufficient-scope');
    expect(judgements()).toBe(2);
  } finally {
    await cached.stop();
  }
});
