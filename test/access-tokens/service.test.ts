import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import {
  issueToken,
  revokeToken,
  rotateToken,
} from '../../functions/access-tokens/administration.ts';
import { allScopes, type Operation } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { finallyDo } from '../support/cleanup.ts';
import { startEngine } from '../support/database/engine.ts';
import {
  type Fault,
  fail,
  pass,
  reset,
  stale,
  startFaultProxy,
} from '../support/database/proxy.ts';
import { type HttpResponse, send } from '../support/http/http-client.ts';
import { startService } from '../support/service/service.ts';

// Access tokens in the whole service, whose gateway caches no policy. Tests of the authorizer and
// the contract have the other states of a token and the forms of the header.

const engine = await startEngine();
finallyDo(engine.stop);
const proxy = await startFaultProxy();
const service = await startService({
  authorizerCache: 0,
  database: engine,
  between: proxy.before,
});
finallyDo(service.stop);

const { database } = service;
const table = tableIds.accessTokens;

/** Issues a token, and changes members of its record. */
async function issue(change: object = {}) {
  const input = { owner: 'ann', scopes: allScopes, label: '' };
  const issued = await issueToken(database, table, input);
  service.tokens.push(issued.token);
  await database.send(new PutCommand({ TableName: table, Item: { ...issued.record, ...change } }));
  return issued;
}

const requests: Record<Operation, { method: string; path: string; body?: string }> = {
  createPlant: { method: 'POST', path: '/plants', body: '{"id":7,"name":"Aloe"}' },
  listPlants: { method: 'GET', path: '/plants' },
  deletePlant: { method: 'DELETE', path: '/plants/7' },
};

function call(operation: Operation, token: string): Promise<HttpResponse> {
  const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${token}`];
  return send(service.baseUrl, { ...requests[operation], headers });
}

const list = async (token: string) => (await call('listPlants', token)).status;

/** Returns the lines that the authorizer logged about a token. */
const linesOf = (id: string) =>
  service
    .logOf(id)
    .filter((line) => /"(TOKEN|AUTHORIZER)_/.test(line))
    .map((line) => JSON.parse(line));

const called = { createPlant: 201, listPlants: 200, deletePlant: 204 };
const none = { createPlant: 403, listPlants: 403, deletePlant: 403 };
const readOnly = { ...none, listPlants: 200 };
const writeOnly = { ...called, listPlants: 403 };
const later = { label: 'x'.repeat(500), created: '2027-01-01' };
test.each([
  { scopes: ['plants:read'], statuses: readOnly },
  { scopes: ['plants:write'], statuses: writeOnly },
  { scopes: ['plants:write', 'plants:read'], statuses: called },
  { scopes: ['plants:read', 'gardens:read'], ...later, statuses: readOnly },
  { scopes: ['gardens:write', 'plants:write'], ...later, statuses: writeOnly },
  { scopes: ['gardens:read'], ...later, statuses: none },
  { scopes: [], statuses: none },
])('calls with the scopes $scopes return $statuses', async ({ statuses, ...change }) => {
  const { token } = await issue(change);
  const responses: Record<string, number> = {};
  for (const operation of Object.keys(requests) as Operation[]) {
    const { status, headers } = await call(operation, token);
    responses[operation] = status;
    const { 'www-authenticate': authenticate = '' } = headers;
    expect(authenticate.includes('error="insufficient_scope"')).toBe(status === 403);
  }
  expect(responses).toEqual(statuses);
});

test('a new token works at once', async () => {
  const { id, token } = await issue();
  proxy.play(id, stale);
  expect(await list(token)).toBe(200);
});

test('a revoked token returns 401 at once, and the log has the reason', async () => {
  const { id, token } = await issue();
  expect(await list(token)).toBe(200);
  await revokeToken(database, table, id);
  expect(await list(token)).toBe(401);
  expect(linesOf(id)).toMatchObject([
    { code: 'TOKEN_ACCEPTED', tokenId: id, owner: 'ann' },
    { code: 'TOKEN_REFUSED', tokenId: id, reason: 'revoked' },
  ]);
});

test.each([
  { overlap: 0, status: 401 },
  { overlap: 3600, status: 200 },
])('after a rotation with an overlap of $overlap s, the old token returns $status', async (row) => {
  const old = await issue();
  const next = await rotateToken(database, table, old.id, { overlap: row.overlap });
  service.tokens.push(next.token);
  expect(await list(old.token)).toBe(row.status);
  expect(await list(next.token)).toBe(200);
});

const failures: { title: string; fault: Fault; change?: object }[] = [
  // The message alone would make API Gateway respond with 401.
  { title: 'says Unauthorized', fault: fail(401, 'Unauthorized', {}, 'Unauthorized') },
  { title: 'lacks the table', fault: fail(400, 'ResourceNotFoundException') },
  { title: 'closes the connection', fault: reset },
  { title: 'has a damaged record', fault: pass, change: { owner: 7 } },
];
test.each(failures)('if the database $title, a call returns 503', async ({ fault, change }) => {
  const { id, token } = await issue(change);
  proxy.play(id, fault);
  expect(await call('listPlants', token)).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  });
  expect(linesOf(id)).toMatchObject([{ code: 'AUTHORIZER_FAILED', cause: {} }]);
});
