import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { digest, makeToken } from '../../functions/access-tokens/token.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { functionVariables } from '../../lib/offline/functions.ts';
import { bundleFunctions, entries, type FunctionId } from '../support/bundles.ts';
import { makeCertificate } from '../support/certificate.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  type HandshakeFault,
  resetHandshake,
  startFaultProxy,
  temporaryCredentials,
} from '../support/database/proxy.ts';
import { proxyEvent, tokenEvent } from '../support/service/proxy-event.ts';
import { type Run, runFunction } from './function-process.ts';

/** Maximum size of `index.js` and `start.mjs` together. Larger bundles load more slowly. */
const maxBytes = 215_000;

/** Node's modules that a cold start may load. Others, like fetch and HTTP/2, make it slow. */
const nodeModules = [
  'node:async_hooks',
  'node:buffer',
  'node:crypto',
  'node:fs',
  'node:fs/promises',
  'node:http',
  'node:https',
  'node:os',
  'node:path',
  'node:process',
  'node:stream',
  'node:timers',
  'node:tls',
];

/** Matches strings of those parts of the SDK that no function uses. */
const neverUsed =
  /sso_start_url|credential_process|AssumeRoleWithWebIdentity|vnd\.amazon\.eventstream|import\(/;

const folders = bundleFunctions();
const ids = Object.keys(entries) as FunctionId[];
const bundleOf = (id: FunctionId): string => join(folders[id], 'start.mjs');
const sourceOf = (id: FunctionId): string => join(root, 'functions', `${entries[id]}.ts`);

test('each function has code of its own', () => {
  const codes = ids.map((id) => readFileSync(join(folders[id], 'index.js'), 'utf8'));
  expect(new Set(codes).size).toBe(ids.length);
});

test.each(ids)('the bundle of %s is small and has only code that is used', (id) => {
  const files = readdirSync(folders[id]);
  expect(files.sort()).toEqual(['index.js', 'start.mjs']);
  const sizes = files.map((file) => statSync(join(folders[id], file)).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(maxBytes);

  const code = readFileSync(join(folders[id], 'index.js'), 'utf8');
  // Not `not.toMatch`, which would print all of the code.
  expect(neverUsed.exec(code)?.[0]).toBeUndefined();
  const required = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name);
  expect(required).toContain('node:https');
  expect(required.filter((name) => !nodeModules.includes(`${name}`))).toEqual([]);
});

test('token administration is in no bundle', () => {
  // The error's name is a string, so minified code has it too.
  const holds = (file: string) => readFileSync(file, 'utf8').includes('AdministrationError');
  expect(holds(join(root, 'functions', 'access-tokens', 'administration.ts'))).toBe(true);
  expect(ids.filter((id) => holds(join(folders[id], 'index.js')))).toEqual([]);
});

/** The calls of each function, which follow one another, with a token that is known. */
const eventsWith = (token: string): Record<FunctionId, object[]> => {
  const create = (name: string) => proxyEvent({ body: JSON.stringify({ id: 7, name }) });
  return {
    CreatePlant: [create('Ficus'), create('Ficus'), create('Aloe'), proxyEvent({ body: '{"id":' })],
    ListPlants: [proxyEvent(), proxyEvent({ query: { limit: ['0'], colour: ['green'] } })],
    DeletePlant: ['7', '7', '07'].map((plant) => proxyEvent({ pathParameters: { id: plant } })),
    Authorizer: [tokenEvent(`Bearer ${token}`), tokenEvent(`Bearer ${unknownToken}`)],
  };
};
const { id: tokenId, token } = makeToken();
const { token: unknownToken } = makeToken();

const files = makeCertificate(temporaryFolder());

/**
 * Starts a database that knows a token, behind a proxy with TLS that checks credentials. Returns
 * the environment variables of its functions.
 */
async function startDatabase(handshakes: HandshakeFault[] = []): Promise<Record<string, string>> {
  const { endpoint, database } = await openDatabase();
  const Item = {
    id: tokenId,
    digest: digest(token),
    owner: 'alice',
    scopes: ['plants:read'],
    label: '',
    created: 1_600_000_000,
  };
  await database.send(new PutCommand({ TableName: tableIds.accessTokens, Item }));
  const proxy = await startFaultProxy({ ...files, handshakes });
  return {
    ...functionVariables(proxy.before(endpoint)),
    ...temporaryCredentials,
    NODE_EXTRA_CA_CERTS: files.certificate,
  };
}

/** Runs the functions one after another on a database of their own. */
async function runAll(fileOf: (id: FunctionId) => string): Promise<Record<FunctionId, Run>> {
  const environment = await startDatabase();
  const runs: Partial<Record<FunctionId, Run>> = {};
  for (const id of ids) {
    const events = eventsWith(token)[id];
    runs[id] = await runFunction(fileOf(id), { environment, events });
  }
  return runs as Record<FunctionId, Run>;
}

const [bundles, sources] = await Promise.all([runAll(bundleOf), runAll(sourceOf)]);

test.each(ids)('the bundle of %s returns and logs the same as the source', (id) => {
  const codesOf = ({ log }: Run) => log.map(({ code }) => code);
  expect(bundles[id].answers).toEqual(sources[id].answers);
  expect(codesOf(bundles[id])).toEqual(codesOf(sources[id]));
});

test('the bundles return the statuses of the contract', () => {
  const statusesOf = (id: FunctionId) => bundles[id].answers.map(({ statusCode }) => statusCode);
  expect(statusesOf('CreatePlant')).toEqual([201, 200, 409, 400]);
  expect(statusesOf('ListPlants')).toEqual([200, 400]);
  expect(statusesOf('DeletePlant')).toEqual([204, 404, 400]);
  expect(bundles.Authorizer.answers).toMatchObject([
    { principalId: 'alice' },
    { message: 'Unauthorized' },
  ]);
});

test.each(ids)(
  '%s warms up TLS at its start, connects to nothing, logs nothing and loads little',
  async (id) => {
    const { modules } = bundles[id];
    // Without an endpoint, the database is DynamoDB over TLS, as in AWS.
    const { atStart } = await runFunction(bundleOf(id), { environment: functionVariables('') });
    expect(atStart).toEqual({ connections: 0, secureContexts: 1, log: [] });
    expect(modules).toContain('NativeModule https');
    expect(modules.filter((name) => /undici|http2|webstreams|zlib|worker/.test(name))).toEqual([]);
  },
);

test('a function whose warm-up fails logs it once and serves', async () => {
  // The client cannot sign without a region.
  const { AWS_REGION = '', ...environment } = await startDatabase();
  const { atStart, answers } = await runFunction(bundleOf('ListPlants'), {
    environment,
    late: { AWS_REGION },
    events: [proxyEvent()],
  });
  expect(atStart.log).toMatchObject([{ code: 'WARM_UP_FAILED', cause: { name: 'Error' } }]);
  expect(answers).toMatchObject([{ statusCode: 200 }]);
});

test('a create of the bundle whose first TLS handshake is reset returns 201', async () => {
  const environment = await startDatabase([resetHandshake]);
  const events = [proxyEvent({ body: '{"id":7,"name":"Aloe"}' })];
  const { answers } = await runFunction(bundleOf('CreatePlant'), { environment, events });
  expect(answers).toMatchObject([{ statusCode: 201 }]);
});
