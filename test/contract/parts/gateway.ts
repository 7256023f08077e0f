import { expect, test } from '@jest/globals';
import { makeToken } from '../../../functions/access-tokens/token.ts';
import { operations } from '../../../functions/shared/operations.ts';
import { badShapes } from '../../support/access-tokens/shapes.ts';
import { answered, sent } from '../../support/plant.ts';
import { type Call, call, create, plantsPath, problemOf, remove, target } from '../api-client.ts';
import { unknownOperations } from '../cases/bad-requests.ts';

const { token, readToken, revokedToken, expiredToken } = target;
const json: [string, string] = ['Content-Type', 'application/json'];

const [lastCharacter = ''] = token.slice(-1);
const mistyped = token.slice(0, -1) + (lastCharacter === 'a' ? 'b' : 'a');

/** Authorization headers that are answered with 401. */
const refused: [what: string, headers: [string, string][]][] = [
  ['none', []],
  ...[
    ...badShapes.map((shape) => [JSON.stringify(shape), shape.replaceAll('TOKEN', token)]),
    ['a token cut short', `Bearer ${token.slice(0, -1)}`],
    ['a token without its prefix', `Bearer ${token.slice(4)}`],
    ['a token with another prefix', `Bearer pat${token.slice(3)}`],
    ['a token in capitals', `Bearer ${token.toUpperCase()}`],
    ['a token with a hyphen', `Bearer ${token.slice(0, 20)}-${token.slice(21)}`],
    ['a mistyped token', `Bearer ${mistyped}`],
    ['a token that was never issued', `Bearer ${makeToken().token}`],
    ['a very long token', `Bearer pst_${'a'.repeat(5000)}`],
    ['a revoked token', `Bearer ${revokedToken}`],
    ['an expired token', `Bearer ${expiredToken}`],
  ].map(([what = '', value = '']): [string, [string, string][]] => [
    what,
    [['Authorization', value]],
  ]),
];

// SAM CLI has its own answers to these requests.
if (!target.isSam) {
  test.each(refused)('a request with this Authorization is refused: %s', async (_, headers) => {
    const reply = await call({ method: 'GET', path: '/plants', token: null, headers });
    expect([reply.status, problemOf(reply)]).toEqual([401, 'unauthorized']);
  });

  test('every operation refuses a token in a query parameter', async () => {
    for (const { method, path } of Object.values(operations)) {
      const url = `/${path.replace(/\{\w+\}/, '7')}?access_token=${token}`;
      expect((await call({ method, path: url, token: null })).status).toBe(401);
    }
  });

  test('a token with the scope to read can neither create nor delete', async () => {
    for (const reply of [
      await create({ id: 7, name: 'Aloe' }, readToken),
      await remove(7, readToken),
      await remove('x/', readToken),
    ])
      expect([reply.status, problemOf(reply)]).toEqual([403, 'insufficient-scope']);
  });

  test('the token and its scope are checked before the request', async () => {
    const bad = {
      method: 'POST',
      path: '/plants?x=1',
      headers: [['Content-Type', 'text/plain'] as [string, string]],
      body: 'x'.repeat(20_000),
    };
    expect((await call({ ...bad, token: null })).status).toBe(401);
    expect((await call({ ...bad, token: readToken })).status).toBe(403);
    expect((await call(bad)).status).toBe(415);
  });

  test.each(unknownOperations)(
    'an unknown operation is answered with 404, with or without a token: %s %s',
    async (method, path) => {
      for (const given of [null, target.token, readToken]) {
        const reply = await call({ method, path, token: given });
        expect([reply.status, problemOf(reply)]).toEqual([404, 'no-such-operation']);
      }
    },
  );
}

test('a client cannot choose the request id', async () => {
  const forged = '","type":"urn:forged","instance":"';
  const headers: [string, string][] = [['x-amzn-RequestId', forged]];
  const given = { method: 'GET', headers };
  const requests: [status: number, request: Call][] = [
    [200, { ...given, path: '/plants' }],
    [400, { ...given, path: '/plants?x=1' }],
    [401, { ...given, path: '/plants', token: null }],
    [404, { ...given, path: '/nothing' }],
  ];
  for (const [expected, request] of target.isSam ? requests.slice(0, 2) : requests) {
    const { status, headers: answered, body } = await call(request);
    expect(status).toBe(expected);
    expect(`${answered['x-request-id']} ${body}`).not.toContain('forged');
  }
});

test('a slash at the end of a path changes nothing', async () => {
  const plant = { method: 'POST', headers: [json], body: sent(7) };
  const creation = await call({ ...plant, path: '/plants/' });
  expect([creation.status, creation.headers.location]).toEqual([201, `${plantsPath}/7`]);
  const page = await call({ method: 'GET', path: '/plants/' });
  expect([page.status, page.json]).toEqual([200, [answered()]]);
  expect((await call({ method: 'GET', path: '/plants/', token: readToken })).status).toBe(200);
  expect((await call({ method: 'DELETE', path: '/plants/7/' })).status).toBe(204);
});

test('references do not depend on the headers of a request', async () => {
  const headers = ['X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Path', 'Forwarded'].map(
    (name): [string, string] => [name, 'host=evil.example'],
  );
  const plant = { method: 'POST', path: '/plants', body: sent(7) };
  const creation = await call({ ...plant, headers: [json, ...headers] });
  expect(creation.headers.location).toBe(`${plantsPath}/7`);
});

test('a header cannot change whose plants a call reaches', async () => {
  await create({ id: 7, name: 'Aloe' });
  const headers = ['Owner', 'X-Owner', 'X-Principal-Id', 'X-Amzn-Principal-Id'].map(
    (name): [string, string] => [name, 'another-owner'],
  );
  expect((await call({ method: 'GET', path: '/plants', headers })).json).toHaveLength(1);
});
