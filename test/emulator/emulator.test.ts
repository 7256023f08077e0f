import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readTemplate } from '../../lib/emulator/template/template.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { type Request, send } from '../support/http/http-client.ts';
import { answering, copyOf, startFixture, token } from './fixture.ts';
import { gate } from './gate.ts';

let fixture: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  fixture = await startFixture();
});

const another = () => startFixture({ assembly: fixture.assembly });
const statusOf = async (request: Request) => (await send(fixture.origin, request)).status;
const deed = (what: string, more: object = {}): Request => ({
  method: 'POST',
  path: '/v1/fault',
  body: JSON.stringify({ do: what, ...more }),
});

describe('authorization is cached', () => {
  const allowing = (Resource: string, more: object = {}) =>
    answering(
      { Effect: 'Allow', Action: 'execute-api:Invoke', Resource },
      { context: { event: true, ...more } },
    );
  const authorizerOf = async (path: string, headers: string[]) =>
    JSON.parse((await send(fixture.origin, { path, headers })).body).requestContext.authorizer;

  test('by token, whatever the path, and the policy is evaluated for each method', async () => {
    const headers = allowing('*/GET/guarded*', { only: 'here' });
    const first = await authorizerOf('/v1/guarded', headers);
    const second = await authorizerOf('/v1/guarded/7?a=1', headers);
    expect(second.invocations).toBe(first.invocations);
    expect(JSON.parse(second.event)).toEqual({
      type: 'TOKEN',
      methodArn: expect.stringMatching(
        /^arn:aws:execute-api:us-east-1:000000000000:Rest\w+\/v1\/GET\/guarded$/,
      ),
      authorizationToken: headers[1],
    });
    expect(await statusOf({ method: 'DELETE', path: '/v1/guarded', headers })).toBe(418);
  });

  test.each([
    ['for another token', '/v1/guarded', 1, 2],
    ['if its time is 0', '/v1/uncached', 3, 3],
  ])('not %s', async (_, path, one, other) => {
    const first = await authorizerOf(path, allowing('*', { token: one }));
    const second = await authorizerOf(path, allowing('*', { token: other }));
    expect(Number(second.invocations)).toBe(Number(first.invocations) + 1);
  });

  test('not if the function failed', async () => {
    const headers = token({ error: 'Unauthorized' });
    const start = fixture.log.length;
    for (const _ of ['once', 'again'])
      expect(await statusOf({ path: '/v1/guarded', headers })).toBe(401);
    expect(
      fixture.log.slice(start).filter(({ line }) => line.includes('platform.start')),
    ).toHaveLength(2);
  });

  test('a token that the expression refuses does not reach the function', async () => {
    const start = fixture.log.length;
    const headers = ['Authorization', 'Basic x'];
    expect(await statusOf({ path: '/v1/uncached', headers })).toBe(401);
    expect(fixture.log.slice(start)).toEqual([]);
  });
});

describe('HTTP', () => {
  const open = async () => {
    const { hostname, port } = new URL(fixture.origin);
    const socket = connect(Number(port), hostname);
    await eventually('a connection', once(socket, 'connect'));
    return socket;
  };
  const until = async (socket: Socket, text: string) => {
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk) => (received += chunk));
    const isThere = () => received.includes(text) || socket.readableEnded || socket.destroyed;
    await eventually(`an answer with ${text}`, isThere, { instead: () => received });
    socket.destroy();
    return received;
  };
  const isServing = async () => expect(await statusOf({ path: '/v1/echo' })).toBe(200);
  const host = 'Host: x';
  const head = (line: string, ...headers: string[]) =>
    `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`;
  const length = (bytes: number) => `Content-Length: ${bytes}`;

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a header without a name', head('GET /v1/echo', ': x'), 400],
    ['no Host', head('GET /v1/echo'), 400],
    ['two lengths', head('POST /v1/echo', host, length(1), length(2)), 400],
    [
      'a length and chunks',
      head('POST /v1/echo', host, length(1), 'Transfer-Encoding: chunked'),
      400,
    ],
    ['more than 10 KB of headers', head('GET /v1/echo', host, `X: ${'a'.repeat(10_240)}`), 431],
    ['a method of its own', head('BREW /v1/echo', host), 400],
    ['a whole URL', head('GET http://x/v1/echo', host), 200],
  ])('%s', async (_, text, status) => {
    const socket = await open();
    socket.write(text);
    expect(await until(socket, '\r\n\r\n')).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await isServing();
  });

  test('several requests on one connection, sent at once', async () => {
    const socket = await open();
    for (const id of [1, 2]) socket.write(head(`GET /v1/echo/${id}`, host));
    const received = await until(socket, '"path":"/echo/2"');
    expect(received.indexOf('"path":"/echo/1"')).toBeGreaterThan(0);
    expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  test('a client that goes away while it waits', async () => {
    const waiting = gate();
    const body = JSON.stringify({ do: 'wait at a gate', gate: await waiting.url });
    const socket = await open();
    socket.write(head('POST /v1/fault', host, length(body.length)) + body);
    await waiting.holds(1);
    socket.resetAndDestroy();
    waiting.release();
    await isServing();
  });
});

describe('another assembly', () => {
  const newCode = `export const handler = async () => ({ statusCode: 200, body: '"new"' });`;

  /** The fixture's assembly with other code in the function Fault. */
  function withCode(code: string): string {
    const assembly = copyOf(fixture.assembly);
    for (const folder of readdirSync(assembly).filter((name) => name.startsWith('asset.'))) {
      const file = join(assembly, folder, 'index.mjs');
      if (readFileSync(file, 'utf8').includes('tell the heap limit')) writeFileSync(file, code);
    }
    return assembly;
  }

  test('answers new requests, and the old one those in progress', async () => {
    const emulator = await another();
    const waiting = gate();
    const old = send(emulator.origin, deed('wait at a gate', { gate: await waiting.url }));
    await waiting.holds(1);
    emulator.replace(withCode(newCode));
    expect((await send(emulator.origin, deed('nothing'))).body).toBe('"new"');
    waiting.release();
    expect(await old).toMatchObject({ status: 200, body: expect.stringContaining('environment') });
  });

  test('keeps the environments of functions that stay the same, and takes newer code', async () => {
    const emulator = await another();
    const environment = async () => JSON.parse((await send(emulator.origin, deed('nothing'))).body);
    const before = await environment();
    const assembly = copyOf(fixture.assembly);
    emulator.replace(assembly);
    expect(await environment()).toEqual(before);
    const functions = [...readTemplate(assembly).of('AWS::Lambda::Function').keys()];
    const [fault = ''] = functions.filter((name) => name.startsWith('Fault'));
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'index.mjs'), newCode);
    emulator.replace(assembly, { [fault]: folder });
    expect(await environment()).toBe('new');
  });

  test('that is not supported changes nothing', async () => {
    const emulator = await another();
    const assembly = withCode('');
    const file = join(assembly, 'Fixture.template.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"nodejs24.x"', '"ruby"'));
    expect(() => emulator.replace(assembly)).toThrow(/does not support "ruby"/);
    expect((await send(emulator.origin, deed('nothing'))).status).toBe(200);
  });
});
