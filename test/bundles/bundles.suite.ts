import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from '@jest/globals';
import { digestToken, makeToken } from '../../functions/access-tokens/token.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { functionVariables } from '../../lib/offline/functions.ts';
import { bundleFunctions, entries, type FunctionId } from '../support/bundles.ts';
import { certificateFiles } from '../support/certificate.ts';
import { root } from '../support/checkout.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  type HandshakeFault,
  resetHandshake,
  startFaultProxy,
  temporaryCredentials,
} from '../support/database/proxy.ts';
import { makeFields } from '../support/plant.ts';
import { startProgram } from '../support/program.ts';
import { proxyEvent, tokenEvent } from '../support/service/proxy-event.ts';

/** Maximum size of `index.js` and `start.mjs` together. Larger bundles load more slowly. */
const maxBytes = 215_000;

/** Matches strings of those parts of the SDK that no function uses. */
const neverUsed =
  /sso_start_url|credential_process|AssumeRoleWithWebIdentity|vnd\.amazon\.eventstream|import\(/;

const folders = bundleFunctions();
const ids = Object.keys(entries) as FunctionId[];
const findBundle = (id: FunctionId): string => join(folders[id], 'start.mjs');

test.each(ids)(
  'the bundle of %s is small and lacks the parts of the SDK that no function uses',
  (id) => {
    const files = readdirSync(folders[id]);
    expect(files.sort()).toEqual(['index.js', 'start.mjs']);
    const sizes = files.map((file) => statSync(join(folders[id], file)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(maxBytes);

    const code = readFileSync(join(folders[id], 'index.js'), 'utf8');
    // Not `not.toMatch`, which would print all of the code.
    expect(neverUsed.exec(code)?.[0]).toBeUndefined();
  },
);

test('token administration is in no bundle', () => {
  // The error's name is a string, so minified code has it too.
  const holds = (file: string) => readFileSync(file, 'utf8').includes('AdministrationError');
  expect(holds(join(root, 'functions', 'access-tokens', 'administration.ts'))).toBe(true);
  expect(ids.filter((id) => holds(join(folders[id], 'index.js')))).toEqual([]);
});

const { id: tokenId, token } = makeToken();
const { token: unknownToken } = makeToken();

const { endpoint, database } = await openDatabase();
const Item = {
  id: tokenId,
  digest: digestToken(token),
  owner: 'alice',
  scopes: ['plants:read'],
  label: '',
  created: 1_600_000_000,
};
await database.send(new PutCommand({ TableName: tableIds.accessTokens, Item }));

// The proxy has TLS and checks credentials.
const handshakes: HandshakeFault[] = [];
const proxy = await startFaultProxy({ ...certificateFiles, handshakes });
const environment = {
  ...functionVariables(proxy.before(endpoint)),
  ...temporaryCredentials,
  NODE_EXTRA_CA_CERTS: certificateFiles.certificate,
};

const create = (name: string) => proxyEvent({ body: JSON.stringify({ id: 7, name }) });
const remove = (id: string) => proxyEvent({ pathParameters: { id } });
const plant = JSON.stringify(makeFields({ name: 'Ficus' }));

/** Calls of each function, in order, with their results. */
const calls: Record<FunctionId, [event: object, result: object, code: string][]> = {
  CreatePlant: [
    [create('Ficus'), { statusCode: 201, body: plant }, 'PLANT_CREATED'],
    [create('Ficus'), { statusCode: 200, body: plant }, 'PLANT_UNCHANGED'],
    [create('Aloe'), { statusCode: 409 }, 'REQUEST_REFUSED'],
    [proxyEvent({ body: '{"id":' }), { statusCode: 400 }, 'REQUEST_REFUSED'],
  ],
  ListPlants: [
    [proxyEvent(), { statusCode: 200, body: `[${plant}]` }, 'PLANTS_LISTED'],
    [proxyEvent({ query: { limit: ['0'] } }), { statusCode: 400 }, 'REQUEST_REFUSED'],
  ],
  DeletePlant: [
    [remove('7'), { statusCode: 204, body: '' }, 'PLANT_DELETED'],
    [remove('7'), { statusCode: 404 }, 'REQUEST_REFUSED'],
    [remove('07'), { statusCode: 400 }, 'REQUEST_REFUSED'],
  ],
  Authorizer: [
    [tokenEvent(`Bearer ${token}`), { principalId: 'alice' }, 'TOKEN_ACCEPTED'],
    [tokenEvent(`Bearer ${unknownToken}`), { message: 'Unauthorized' }, 'TOKEN_REFUSED'],
  ],
};

/** The report of a function in a process of its own. */
interface Run {
  /** Before the handler could be called. */
  atStart: { connections: number; secureContexts: number; log: { code: string }[] };
  /** For each event, the result of the handler or the error that it threw. */
  results: Record<string, unknown>[];
  log: { code: string }[];
  /** The modules of Node that were loaded until the first result. */
  modules: string[];
}

/** Runs the file of a function in a new process and calls its handler with events. */
async function runFunction(file: string, events: object[]): Promise<Run> {
  const args = ['--unhandled-rejections=strict', 'test/bundles/function-process.mjs'];
  const { child, ended } = startProgram(process.execPath, args, { env: environment });
  child.stdin.end(JSON.stringify({ module: pathToFileURL(file).href, events }));
  const { stdout, stderr } = await ended();
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const runs = new Map<FunctionId, Run>();
beforeAll(async () => {
  for (const id of ids) {
    const events = calls[id].map(([event]) => event);
    runs.set(id, await runFunction(findBundle(id), events));
  }
});

test.each(ids)('the bundle of %s warms up TLS, loads little, and serves', (id) => {
  const { atStart, results, log, modules } = runs.get(id) as Run;
  expect(atStart).toEqual({ connections: 0, secureContexts: 1, log: [] });
  expect(results).toMatchObject(calls[id].map(([, result]) => result));
  expect(log).toMatchObject(calls[id].map(([, , code]) => ({ code })));
  // Fetch and HTTP/2, for example, make a cold start slow.
  expect(modules).toContain('NativeModule https');
  expect(modules.filter((name) => /undici|http2|webstreams|zlib|worker/.test(name))).toEqual([]);
});

test('a create of the bundle whose first TLS handshake is reset returns 201', async () => {
  handshakes.push(resetHandshake);
  const events = [proxyEvent({ body: '{"id":8,"name":"Aloe"}' })];
  const { results } = await runFunction(findBundle('CreatePlant'), events);
  expect(results).toMatchObject([{ statusCode: 201 }]);
  expect(handshakes).toEqual([]);
});
