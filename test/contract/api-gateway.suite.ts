import { expect, test } from '@jest/globals';
import { operations } from '../../functions/shared/operations.ts';
import { makeBody, makeFields } from '../support/plant.ts';
import { ask, type Header, json, makeLine, plantsPath, readCode } from './api-client.ts';
import { isSam, tested, unknownToken } from './tested-store.ts';

const aloe = makeBody(7);

/** Rejected values of Authorization. Words in capitals stand for tokens. */
const rejected = [
  ...['', 'Bearer', 'Bearer ', 'TOKEN', 'BearerTOKEN', 'Bearer: TOKEN', 'Bearer\tTOKEN'],
  ...['Bearer "TOKEN"', 'Bearer TOKEN TOKEN', 'Bearer TOKEN,Bearer TOKEN', 'Basic TOKEN'],
  ...['Bearer TOKEN0', 'Bearer 0TOKEN', `Bearer pst_${'a'.repeat(5000)}`, 'Bearer MISTYPED'],
  ...['Bearer UNKNOWN', 'Bearer REVOKED', 'Bearer EXPIRED'],
];

const accepted = [
  'Bearer TOKEN',
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
  ...['PUT /plants', 'PATCH /plants', 'DELETE /plants', 'GET /plants/7', 'POST /plants/7', 'GET '],
  ...['GET /', 'POST /', 'POST /plant', 'GET /Plants', 'GET /plants7', 'DELETE /plants/7/8'],
].filter((line) => !routes.includes(line));

// SAM CLI has other responses to these requests.
if (!isSam) {
  test('every rejected Authorization returns 401, always with the same body', async () => {
    const tokens: Record<string, string> = {
      TOKEN: tested.token,
      MISTYPED: tested.token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      UNKNOWN: unknownToken,
      REVOKED: tested.revokedToken,
      EXPIRED: tested.expiredToken,
    };
    const bodies = new Set<string>();
    for (const shape of rejected) {
      const value = shape.replaceAll(/[A-Z]{5,}/g, (word) => `${tokens[word]}`);
      const headers: Header[] = [['Authorization', value]];
      const response = await ask('GET /plants', { token: null, headers });
      expect([shape, response.status, readCode(response)]).toEqual([shape, 401, 'unauthorized']);
      bodies.add(response.body.replaceAll(`${response.headers['x-request-id']}`, ''));
    }
    expect([...bodies]).toHaveLength(1);
  });

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

test('headers change neither Location nor whose plants a call reaches', async () => {
  const forwarded = ['X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Path', 'Forwarded'];
  const ofOwner = ['Owner', 'X-Owner', 'X-Principal-Id', 'X-Amzn-Principal-Id'];
  const headers = [...forwarded, ...ofOwner].map((name): Header => [name, 'host=evil.example']);
  const creation = await ask('POST /plants', { headers: [json, ...headers], body: aloe });
  expect(creation.headers.location).toBe(`${plantsPath()}/7`);
  expect((await ask('GET /plants')).json).toHaveLength(1);
  expect((await ask('GET /plants', { headers })).json).toHaveLength(1);
});
