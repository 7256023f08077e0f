import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readTemplate } from '../../lib/offline/template/template.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type Request, send } from '../support/http/http-client.ts';
import { answering, copyOf, type Fixture, gate, startFixture, token } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});

const statusOf = async (request: Request) => (await send(fixture.origin, request)).status;
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

  test.each([
    ['a failed call is made again', '/v1/guarded', token({ error: 'Unauthorized' }), 2],
    ['no call is made for a bad token', '/v1/uncached', ['Authorization', 'Basic x'], 0],
  ])('%s', async (_, path, headers, invocations) => {
    const start = fixture.log.length;
    for (const _ of ['once', 'again']) {
      expect(await statusOf({ path, headers })).toBe(401);
    }
    const starts = fixture.log.slice(start).filter(({ line }) => line.includes('platform.start'));
    expect(starts).toHaveLength(invocations);
  });
});

describe('another assembly', () => {
  const deed = (what: string, more: object = {}): Request => ({
    method: 'POST',
    path: '/v1/fault',
    body: JSON.stringify({ do: what, ...more }),
  });
  /** Starts an emulator, and returns newer code of a function of it. */
  async function another() {
    const emulator = await startFixture({ assembly: fixture.assembly });
    const functions = [...readTemplate(fixture.assembly).of('AWS::Lambda::Function').keys()];
    const fault = functions.find((name) => name.startsWith('Fault')) ?? '';
    const folder = temporaryFolder();
    const newer = `export const handler = async () => ({ statusCode: 200, body: '"new"' });`;
    writeFileSync(join(folder, 'index.mjs'), newer);
    return { ...emulator, newCode: { [fault]: folder } };
  }

  test('answers new requests, and the old one those in progress', async () => {
    const { assembly, newCode, origin, replace } = await another();
    const waiting = gate();
    const old = send(origin, deed('wait at a gate', { gate: await waiting.url }));
    await waiting.holds(1);
    replace(assembly, newCode);
    expect((await send(origin, deed('nothing'))).body).toBe('"new"');
    waiting.release();
    expect(await old).toMatchObject({ status: 200, body: expect.stringContaining('environment') });
  });

  test('keeps the environments of functions that stay the same', async () => {
    const { assembly, origin, replace } = await another();
    const before = await send(origin, deed('nothing'));
    replace(copyOf(assembly));
    expect((await send(origin, deed('nothing'))).body).toBe(before.body);
  });

  test('that is not supported changes nothing', async () => {
    const { newCode, origin, replace, ...emulator } = await another();
    const assembly = copyOf(emulator.assembly);
    const file = join(assembly, 'Fixture.template.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"nodejs24.x"', '"ruby"'));
    expect(() => replace(assembly, newCode)).toThrow(/does not support "ruby"/);
    expect((await send(origin, deed('nothing'))).body).toContain('environment');
  });
});
