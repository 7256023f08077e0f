import { expect, test } from '@jest/globals';
import { makeToken } from '../../../functions/access-tokens/token.ts';
import { operations } from '../../../functions/shared/operations.ts';
import { badShapes } from '../../support/access-tokens/shapes.ts';
import { answered, sent } from '../../support/plant.ts';
import {
  ask,
  create,
  type Header,
  json,
  plantsPath,
  problemOf,
  remove,
  target,
} from '../api-client.ts';
import { unknownOperations } from '../cases/bad-requests.ts';

const { token, readToken, revokedToken, expiredToken } = target;

const mistyped = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));

/** Authorization headers that are answered with 401. */
const refused: (readonly [what: string, authorization: string | undefined])[] = [
  ['none', undefined],
  ...badShapes.map((shape) => [JSON.stringify(shape), shape.replaceAll('TOKEN', token)] as const),
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
];

// SAM CLI has its own answers to these requests.
if (!target.isSam) {
  test.each(refused)('a request with this Authorization is refused: %s', async (_, value) => {
    const headers: Header[] = value === undefined ? [] : [['Authorization', value]];
    const reply = await ask('GET /plants', { token: null, headers });
    expect([reply.status, problemOf(reply)]).toEqual([401, 'unauthorized']);
  });

  test('every operation refuses a token in a query parameter', async () => {
    for (const { method, path } of Object.values(operations)) {
      const url = `/${path.replace(/\{\w+\}/, '7')}?access_token=${token}`;
      expect((await ask(`${method} ${url}`, { token: null })).status).toBe(401);
    }
  });

  test('a token with the scope to read can neither create nor delete', async () => {
    for (const reply of [
      await create(sent(7), readToken),
      await remove(7, readToken),
      await remove('x/', readToken),
    ]) {
      expect([reply.status, problemOf(reply)]).toEqual([403, 'insufficient-scope']);
    }
  });

  test('the token and its scope are checked before the request', async () => {
    const headers: Header[] = [['Content-Type', 'text/plain']];
    const send = (given: string | null) =>
      ask('POST /plants?x=1', { token: given, headers, body: 'x'.repeat(20_000) });
    const replies = [await send(null), await send(readToken), await send(token)];
    expect(replies.map(({ status }) => status)).toEqual([401, 403, 415]);
  });

  test.each(unknownOperations)(
    'an unknown operation is answered with 404, with or without a token: %s %s',
    async (method, path) => {
      for (const given of [null, token, readToken]) {
        const reply = await ask(`${method} ${path}`, { token: given });
        expect([reply.status, problemOf(reply)]).toEqual([404, 'no-such-operation']);
      }
    },
  );
}

test('a client cannot choose the request id', async () => {
  const forged = '","type":"urn:forged","instance":"';
  const headers: Header[] = [['x-amzn-RequestId', forged]];
  const requests: [line: string, token: string | null, status: number][] = [
    ['GET /plants', token, 200],
    ['GET /plants?x=1', token, 400],
    ['GET /plants', null, 401],
    ['GET /nothing', token, 404],
  ];
  for (const [line, given, expected] of target.isSam ? requests.slice(0, 2) : requests) {
    const { status, headers: answered, body } = await ask(line, { headers, token: given });
    expect(status).toBe(expected);
    expect(`${answered['x-request-id']} ${body}`).not.toContain('forged');
  }
});

test('a slash at the end of a path changes nothing', async () => {
  const creation = await ask('POST /plants/', { headers: [json], body: sent(7) });
  expect([creation.status, creation.headers.location]).toEqual([201, `${plantsPath}/7`]);
  const page = await ask('GET /plants/');
  expect([page.status, page.json]).toEqual([200, [answered()]]);
  expect((await ask('GET /plants/', { token: readToken })).status).toBe(200);
  expect((await ask('DELETE /plants/7/')).status).toBe(204);
});

test('references do not depend on the headers of a request', async () => {
  const headers = ['X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Path', 'Forwarded'].map(
    (name): Header => [name, 'host=evil.example'],
  );
  const plant = { headers: [json, ...headers], body: sent(7) };
  const creation = await ask('POST /plants', plant);
  expect(creation.headers.location).toBe(`${plantsPath}/7`);
});

test('a header cannot change whose plants a call reaches', async () => {
  await create(sent(7));
  const headers = ['Owner', 'X-Owner', 'X-Principal-Id', 'X-Amzn-Principal-Id'].map(
    (name): Header => [name, 'another-owner'],
  );
  expect((await ask('GET /plants', { headers })).json).toHaveLength(1);
});
