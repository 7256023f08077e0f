import { expect, test } from '@jest/globals';
import { makeToken } from '../../functions/access-tokens/token.ts';
import { call, create, list, problemOf, remove, target } from './api.ts';
import { unknownOperations } from './cases/bad-requests.ts';

const { token, readToken, revokedToken, expiredToken } = target;
const json: [string, string] = ['Content-Type', 'application/json'];

const [lastCharacter = ''] = token.slice(-1);
const mistyped = token.slice(0, -1) + (lastCharacter === 'a' ? 'b' : 'a');

/** Authorization headers that let nobody in. */
const refused: [what: string, headers: [string, string][]][] = [
  ['none', []],
  ...[
    ['no token', 'Bearer'],
    ['an empty token', 'Bearer '],
    ['no scheme', token],
    ['another scheme', `Basic ${Buffer.from(`user:${token}`).toString('base64')}`],
    ['another scheme with the token', `Token ${token}`],
    ['no space', `Bearer${token}`],
    ['a colon', `Bearer: ${token}`],
    ['the scheme twice', `Bearer Bearer ${token}`],
    ['quotes', `Bearer "${token}"`],
    ['two tokens', `Bearer ${token} ${token}`],
    ['two tokens and a comma', `Bearer ${token}, Bearer ${token}`],
    ['a token cut short', `Bearer ${token.slice(0, -1)}`],
    ['a token and more', `Bearer ${token}0`],
    ['a token without its prefix', `Bearer ${token.slice(4)}`],
    ['a token with another prefix', `Bearer pat${token.slice(3)}`],
    ['a token in capitals', `Bearer ${token.toUpperCase()}`],
    ['a token with a hyphen', `Bearer ${token.slice(0, 20)}-${token.slice(21)}`],
    ['a mistyped token', `Bearer ${mistyped}`],
    ['a token that was never issued', `Bearer ${makeToken().token}`],
    ['a very long token', `Bearer pst_${'a'.repeat(5000)}`],
    ['a JSON web token', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.'],
    ['null', 'Bearer null'],
    ...(revokedToken ? [['a revoked token', `Bearer ${revokedToken}`]] : []),
    ...(expiredToken ? [['an expired token', `Bearer ${expiredToken}`]] : []),
  ].map(([what = '', value = '']): [string, [string, string][]] => [
    what,
    [['Authorization', value]],
  ]),
];

// To these sam local has answers of its own.
if (!target.isSam) {
  test.each(refused)('nobody gets in with this Authorization: %s', async (_, headers) => {
    const reply = await call({ method: 'GET', path: '/plants', token: null, headers });
    expect([reply.status, problemOf(reply)]).toEqual([401, 'unauthorized']);
  });

  test('no operation lets anybody in without a token, and a query parameter is none', async () => {
    const calls = [
      { method: 'GET', path: `/plants?access_token=${token}` },
      { method: 'POST', path: '/plants', headers: [json], body: '{"id":7,"name":"Aloe"}' },
      { method: 'DELETE', path: '/plants/7' },
    ];
    for (const one of calls) expect((await call({ ...one, token: null })).status).toBe(401);
    expect((await list()).json).toEqual([]);
  });

  test('a token that may read may neither create nor delete', async () => {
    for (const reply of [
      await create({ id: 7, name: 'Aloe' }, readToken),
      await remove(7, readToken),
      await remove('x/', readToken),
    ])
      expect([reply.status, problemOf(reply)]).toEqual([403, 'insufficient-scope']);
  });

  test('who may call is judged before what is called with', async () => {
    const bad = {
      method: 'POST',
      path: '/plants?x=1',
      headers: [['Content-Encoding', 'gzip'] as [string, string]],
      body: 'x'.repeat(20_000),
    };
    expect((await call({ ...bad, token: null })).status).toBe(401);
    expect((await call({ ...bad, token: readToken })).status).toBe(403);
    expect((await call(bad)).status).toBe(415);
  });

  test.each(unknownOperations)('there is no such operation: %s %s', async (method, path) => {
    const reply = await call({ method, path, token: null });
    expect([reply.status, problemOf(reply)]).toEqual([404, 'no-such-operation']);
  });
}
