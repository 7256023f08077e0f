import { expect, test } from '@jest/globals';
import { operations } from '../../functions/shared/operations.ts';
import { badShapes } from '../support/access-tokens/shapes.ts';
import { makeBody, makeFields } from '../support/plant.ts';
import { ask, create, type Header, json, makeLine, plantsPath, readCode } from './api-client.ts';
import { isSam, tested, unknownToken } from './tested-store.ts';

const aloe = makeBody(7);
const bearer = (value: string): Header[] => [['Authorization', value]];

/** Rejected values of Authorization. TOKEN and the functions stand for tokens. */
const rejected: [what: string, value: () => string | undefined][] = [
  ['no header', () => undefined],
  ...badShapes.map((shape): (typeof rejected)[0] => [
    JSON.stringify(shape),
    () => shape.replaceAll('TOKEN', tested.token),
  ]),
  ['a token cut short', () => `Bearer ${tested.token.slice(0, -1)}`],
  ['a token without its prefix', () => `Bearer ${tested.token.replace(/^[^_]+_/, '')}`],
  ['a token with another prefix', () => `Bearer pat${tested.token.slice(3)}`],
  ['a token in capitals', () => `Bearer ${tested.token.toUpperCase()}`],
  ['a token with a hyphen', () => `Bearer ${tested.token.replace(/.(.{9})$/, '-$1')}`],
  [
    'a mistyped token',
    () => `Bearer ${tested.token.replace(/.$/, (c) => (c === 'a' ? 'b' : 'a'))}`,
  ],
  ['a token that was never issued', () => `Bearer ${unknownToken}`],
  ['a very long token', () => `Bearer pst_${'a'.repeat(5000)}`],
  ['a revoked token', () => `Bearer ${tested.revokedToken}`],
  ['an expired token', () => `Bearer ${tested.expiredToken}`],
];

const accepted = [
  'Bearer TOKEN',
  'bearer TOKEN',
  'BEARER TOKEN',
  'bEaReR TOKEN',
  'Bearer    TOKEN',
  // HTTP ignores white space around a value. SAM CLI does not.
  ...(isSam ? [] : ['  Bearer TOKEN  ']),
];
test.each(accepted)('an Authorization can be written as %j', async (shape) => {
  const headers: Header[] = [['authorization', shape.replace('TOKEN', tested.token)]];
  expect((await ask('GET /plants', { token: null, headers })).status).toBe(200);
});

const routes: string[] = Object.values(operations).map(makeLine);

/** Methods and paths that the API does not have. */
const unknown = [
  ...['PUT /plants', 'PATCH /plants', 'DELETE /plants'],
  ...['GET /plants/7', 'POST /plants/7', 'PUT /plants/7', 'PATCH /plants/7'],
  ...['GET ', 'GET /', 'POST /', 'GET /favicon.ico', 'GET /plant', 'GET /plants7', 'GET /Plants'],
  ...['GET /plants.json', 'GET /plants/7/8', 'DELETE /plants/7/8', 'GET /v2/plants', 'POST /plant'],
].filter((line) => !routes.includes(line));

// SAM CLI has other responses to these requests.
if (!isSam) {
  const bodies = new Set<string>();
  test.each(rejected)(
    'a request with this Authorization returns 401, always with the same body: %s',
    async (_, authorization) => {
      const value = authorization();
      const headers = value === undefined ? [] : bearer(value);
      const response = await ask('GET /plants', { token: null, headers });
      expect([response.status, readCode(response)]).toEqual([401, 'unauthorized']);
      bodies.add(response.body.replaceAll(`${response.headers['x-request-id']}`, ''));
      expect(bodies.size).toBe(1);
    },
  );

  test('every operation needs a token in the header, not in the query', async () => {
    for (const row of Object.values(operations)) {
      const line = makeLine(row);
      expect((await ask(line, { token: null })).status).toBe(401);
      const query = `?access_token=${tested.token}`;
      expect((await ask(line + query, { token: null })).status).toBe(401);
    }
  });

  test.each(Object.entries(operations))(
    'with plants:read only, %s returns 403 if its role may write, and otherwise does not',
    async (_, row) => {
      const actions: string[] = Object.values(row.tables).flat();
      const mayWrite = actions.some((action) => !/^(?:GetItem|Query)$/.test(action));
      for (const line of [makeLine(row), `${makeLine(row)}/`]) {
        const response = await ask(line, { token: tested.readToken });
        expect(readCode(response) === 'insufficient-scope').toBe(mayWrite);
      }
    },
  );

  test('the token and its scope are checked before the request', async () => {
    const headers: Header[] = [['Content-Type', 'text/plain']];
    const send = (token: string | null) =>
      ask('POST /plants?x=1', { token, headers, body: 'x'.repeat(20_000) });
    const responses = [await send(null), await send(tested.readToken), await send(tested.token)];
    expect(responses.map(({ status }) => status)).toEqual([401, 403, 415]);
  });

  test.each(unknown)('an unknown operation returns 404, whatever the token: %s', async (line) => {
    for (const token of [null, tested.token, tested.readToken]) {
      const response = await ask(line, { token });
      expect([response.status, readCode(response)]).toEqual([404, 'no-such-operation']);
    }
  });
}

test('a client cannot choose the request id', async () => {
  const headers: Header[] = [['x-amzn-RequestId', '","type":"urn:forged","instance":"']];
  const requests: [line: string, token: string | null, status: number][] = [
    ['GET /plants', tested.token, 200],
    ['GET /plants?x=1', tested.token, 400],
    ['GET /plants', null, 401],
    ['GET /nothing', tested.token, 404],
  ];
  for (const [line, token, expected] of isSam ? requests.slice(0, 2) : requests) {
    const { status, headers: returned, body } = await ask(line, { headers, token });
    expect(status).toBe(expected);
    expect(`${returned['x-request-id']} ${body}`).not.toContain('forged');
  }
});

test('a slash at the end of a path changes nothing', async () => {
  const creation = await ask('POST /plants/', { headers: [json], body: aloe });
  expect([creation.status, creation.headers.location]).toEqual([201, `${plantsPath()}/7`]);
  expect((await ask('GET /plants/')).json).toEqual([makeFields()]);
  expect((await ask('GET /plants/', { token: tested.readToken })).status).toBe(200);
  expect((await ask('DELETE /plants/7/')).status).toBe(204);
});

test('Location does not depend on the headers of a request', async () => {
  const headers = ['X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Path', 'Forwarded'].map(
    (name): Header => [name, 'host=evil.example'],
  );
  const plant = { headers: [json, ...headers], body: aloe };
  const creation = await ask('POST /plants', plant);
  expect(creation.headers.location).toBe(`${plantsPath()}/7`);
});

test('a header cannot change whose plants a call reaches', async () => {
  await create(aloe);
  const headers = ['Owner', 'X-Owner', 'X-Principal-Id', 'X-Amzn-Principal-Id'].map(
    (name): Header => [name, 'another-owner'],
  );
  expect((await ask('GET /plants', { headers })).json).toHaveLength(1);
});
