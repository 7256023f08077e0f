import { Agent } from 'node:http';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  issueToken,
  revokeToken,
  rotateToken,
} from '../../functions/access-tokens/administration.ts';
import {
  allScopes,
  type Operation,
  operations,
  type Scope,
} from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import type { Database } from '../../lib/offline/database.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { startEngine } from '../support/database/engine.ts';
import { type Fault, fail, reset, startFaultProxy } from '../support/database/proxy.ts';
import { type HttpResponse, send as sendRaw } from '../support/http/http-client.ts';
import { type Service, startService } from '../support/service/service.ts';

// Tokens in the whole service, whose gateway caches no verdict. The contract tries the headers.

let database: Database;
let proxy: Awaited<ReturnType<typeof startFaultProxy>>;
let service: Service;
beforeAll(async () => {
  database = await startEngine();
  proxy = await startFaultProxy();
  service = await startService({ authorizerCache: 0, database, between: proxy.before });
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
  return { old, next: await rotateToken(service.database, table, old.id, { overlap }) };
};

interface State {
  title: string;
  issueIn(scopes: Scope[]): Promise<{ token: string }>;
  /** The reason in the log. A state without one is accepted. */
  reason?: string;
  /** The reads of the table for one call. */
  reads: string[];
}

const active: State = { title: 'active', issueIn: issue, reads: ['GetItem'] };

/** Tokens in every state in which they are accepted. */
const accepted: State[] = [
  active,
  {
    title: 'active for ever',
    issueIn: (scopes) => issue(scopes, { expires: undefined }),
    reads: ['GetItem'],
  },
  {
    title: 'active until its overlap ends',
    issueIn: async (scopes) => (await rotate(scopes, 3600)).old,
    reads: ['GetItem'],
  },
  {
    title: 'active after a rotation',
    issueIn: async (scopes) => (await rotate(scopes, 0)).next,
    reads: ['GetItem'],
  },
  {
    title: 'active with the longer label of a later version',
    issueIn: (scopes) => issueChanged(scopes, { label: 'x'.repeat(500), created: 'today' }),
    reads: ['GetItem'],
  },
];

/** Issues a token and changes its record. */
async function issueChanged(scopes: Scope[], change: object) {
  const issued = await issue(scopes);
  const Item = { ...issued.record, ...change };
  await service.database.send(new PutCommand({ TableName: table, Item }));
  return issued;
}

/** Tokens in every state in which they are refused. */
const refused: State[] = [
  {
    title: 'expired by a rotation',
    issueIn: async (scopes) => (await rotate(scopes, 0)).old,
    reason: 'expired',
    reads: ['GetItem'],
  },
  {
    title: 'expired',
    issueIn: (scopes) => issue(scopes, { expires: now() - 1, clock: () => Date.now() - 10_000 }),
    reason: 'expired',
    reads: ['GetItem'],
  },
  {
    title: 'revoked',
    async issueIn(scopes) {
      const issued = await issue(scopes);
      await revokeToken(service.database, table, issued.id);
      return issued;
    },
    reason: 'revoked',
    reads: ['GetItem'],
  },
  {
    title: 'unknown',
    issueIn: async () => ({ token: forge() }),
    reason: 'unknown',
    reads: ['GetItem'],
  },
  {
    title: 'wrong',
    issueIn: async (scopes) => ({ token: forge((await issue(scopes)).id) }),
    reason: 'wrong',
    reads: ['GetItem'],
  },
  {
    title: 'wrong for a damaged record',
    issueIn: async (scopes) => ({ token: forge((await issueChanged(scopes, { owner: 7 })).id) }),
    reason: 'wrong',
    reads: ['GetItem'],
  },
  {
    title: 'stored with a damaged digest',
    issueIn: (scopes) => issueChanged(scopes, { digest: Buffer.alloc(31) }),
    reason: 'damaged',
    reads: ['GetItem'],
  },
  {
    title: 'mistyped',
    async issueIn(scopes) {
      const { token } = await issue(scopes);
      return { token: token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')) };
    },
    reason: 'mistyped',
    reads: [],
  },
];

const damaged: State = {
  title: 'damaged',
  issueIn: (scopes) => issueChanged(scopes, { owner: 7 }),
  reads: ['GetItem'],
};

async function tokenIn(state: State, scopes: Scope[]): Promise<string> {
  const { token } = await state.issueIn(scopes);
  // An invented or mistyped token is a secret, too.
  service.tokens.push(token);
  return token;
}

const requests: Record<Operation, { method: string; path: string; body?: string }> = {
  createPlant: { method: 'POST', path: '/plants', body: '{"id":7,"name":"Aloe"}' },
  listPlants: { method: 'GET', path: '/plants' },
  deletePlant: { method: 'DELETE', path: '/plants/7' },
};

async function call(name: Operation, token: string): Promise<HttpResponse> {
  const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${token}`];
  return sendRaw(service.baseUrl, { ...requests[name], headers }, agent);
}

/** Returns `called` if the operation ran, or else the code of the problem that prevented it. */
function verdictOf({ status, body }: HttpResponse): string {
  const { type = '' } = body ? JSON.parse(body) : {};
  const code = String(type).replace('urn:problem-type:plant-store:', '');
  return status < 300 || ['plant-exists', 'plant-not-found'].includes(code) ? 'called' : code;
}

const logged = (from: number) => service.log.slice(from).map((line) => JSON.parse(line));

/** Calls an operation with a new token. */
async function tryToken(state: State, scopes: Scope[], name: Operation) {
  const token = await tokenIn(state, scopes);
  const from = service.log.length;
  const verdict = verdictOf(await call(name, token));
  const reasons = logged(from).flatMap((message) => message?.reason ?? []);
  return { verdict, reads: proxy.seen(token.slice(4, 16)), reasons };
}

const operationNames: Operation[] = ['createPlant', 'listPlants', 'deletePlant'];
const grants: Scope[][] = [...allScopes.map((scope) => [scope]), [...allScopes]];
const cases = grants.flatMap((scopes) => operationNames.map((name) => ({ scopes, name })));

describe.each(accepted)('a token that is $title', (state) => {
  test.each(cases)('with $scopes calls $name, if that is enough', async ({ scopes, name }) => {
    const verdict = scopes.includes(operations[name].scope) ? 'called' : 'insufficient-scope';
    const { reads } = state;
    expect(await tryToken(state, scopes, name)).toEqual({ verdict, reads, reasons: [] });
  });
});

describe.each(refused)('a token that is $title', (state) => {
  test.each(operationNames)('does not call %s', async (name) => {
    const { reads, reason } = state;
    const outcome = { verdict: 'unauthorized', reads, reasons: [reason] };
    expect(await tryToken(state, allScopes, name)).toEqual(outcome);
  });
});

test.each(operationNames)(
  'a token whose record is damaged does not call %s for now',
  async (name) => {
    const outcome = { verdict: 'unavailable', reads: damaged.reads, reasons: [] };
    const from = service.log.length;
    expect(await tryToken(damaged, allScopes, name)).toEqual(outcome);
    expect(logged(from)).toContainEqual(expect.objectContaining({ code: 'AUTHORIZER_FAILED' }));
  },
);

/** A token of a later version, whose scopes the record holds. */
const later = (scopes: string[]): State => ({
  title: 'of a later version',
  issueIn: () => issueChanged(allScopes, { scopes }),
  reads: ['GetItem'],
});
test.each([
  { scopes: ['plants:read', 'gardens:read'], called: ['listPlants'] },
  { scopes: ['gardens:write', 'plants:write'], called: ['createPlant', 'deletePlant'] },
  { scopes: ['gardens:read'], called: [] },
  { scopes: [], called: [] },
])('a token with the scopes $scopes, of which some are unknown, calls $called', async (given) => {
  const verdicts: Record<string, string> = {};
  for (const name of operationNames) {
    verdicts[name] = (await tryToken(later(given.scopes), [], name)).verdict;
  }
  const expected = operationNames.map((name) => [
    name,
    given.called.includes(name) ? 'called' : 'insufficient-scope',
  ]);
  expect(verdicts).toEqual(Object.fromEntries(expected));
});

test('every call of a token is judged again', async () => {
  const token = await tokenIn(active, allScopes);
  for (const name of operationNames) {
    expect(verdictOf(await call(name, token))).toBe('called');
  }
  expect(proxy.seen(token.slice(4, 16))).toEqual(operationNames.map(() => 'GetItem'));
});

/** Returns a response without its date and request ids. */
function comparable({ headers, ...answer }: HttpResponse): object {
  const { date: _, ...others } = headers;
  const text = JSON.stringify({ ...answer, headers: others });
  return JSON.parse(text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'a request id'));
}

test.each(refused)(
  'a token that is $title gets the same response as any other refused token',
  async (state) => {
    const answer = comparable(await call('listPlants', forge()));
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="plant-store"' },
    });
    for (const name of operationNames) {
      const other = await call(name, await tokenIn(state, allScopes));
      expect({ name, ...comparable(other) }).toEqual({ name, ...answer });
    }
  },
);

const databaseFaults: { title: string; fault: Fault }[] = [
  { title: 'says Unauthorized', fault: fail(401, 'Unauthorized', {}, 'Unauthorized') },
  { title: 'lacks the table', fault: fail(400, 'ResourceNotFoundException') },
  { title: 'closes the connection', fault: reset },
];
describe.each(databaseFaults)('if the database $title', ({ fault }) => {
  test.each(operationNames)('%s is answered with 503 and the cause is logged', async (name) => {
    const token = await tokenIn(active, allScopes);
    proxy.play(token.slice(4, 16), fault);
    const from = service.log.length;
    expect(verdictOf(await call(name, token))).toBe('unavailable');
    expect(logged(from)).toContainEqual(expect.objectContaining({ code: 'AUTHORIZER_FAILED' }));
  });
});
