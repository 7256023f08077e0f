import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from '@jest/globals';
import { digestToken } from '../../../functions/access-tokens/token.ts';
import { type Operation, operations } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { withoutAwsFiles } from '../../../lib/local/away-from-aws.ts';
import { makeToken } from '../../../lib/tokens/make-token.ts';
import { AdministrationError } from '../../../lib/tokens/tokens.ts';
import { bundleFunctions, entries, type FunctionId } from '../../support/bundles.ts';
import { certificateFiles } from '../../support/certificate.ts';
import { root } from '../../support/checkout.ts';
import { openDatabase } from '../../support/database/engine.ts';
import {
  resetHandshake,
  startFaultProxy,
  temporaryCredentials,
} from '../../support/database/proxy.ts';
import { findLoaded } from '../../support/imports.ts';
import { makeBody, makeFields } from '../../support/plant.ts';
import { startProgram } from '../../support/program.ts';
import { operationEvent } from '../../support/service/operation-event.ts';
import { tokenEvent } from '../../support/service/proxy-event.ts';
import { functionId } from '../../support/service/published.ts';

/** Maximum size of `index.js` and `start.mjs` together. Larger bundles load more slowly. */
const maxBytes = 215_000;

/** Strings of parts of the SDK that no function uses. */
const neverUsed = [
  ...['sso_start_url', 'credential_process', 'AssumeRoleWithWebIdentity', 'import('],
  ':message-type',
];
const ofAdministration = new AdministrationError().name;

// Lambda's user must be able to read the files, whatever the umask.
const umask = process.umask(0o077);
const bundles = bundleFunctions();
process.umask(umask);
const ids = Object.keys(entries) as FunctionId[];

test.each(ids)(
  'the bundle of %s is readable, small, and lacks the parts that no function uses',
  (id) => {
    const { folder } = bundles[id];
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(['index.js', 'start.mjs']);
    const modes = files.map((file) => statSync(join(folder, file)).mode & 0o777);
    // Windows has no other mode.
    const readable = process.platform === 'win32' ? 0o666 : 0o644;
    expect(modes).toEqual([readable, readable]);
    const sizes = files.map((file) => statSync(join(folder, file)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(maxBytes);

    const code = readFileSync(join(folder, 'index.js'), 'utf8');
    expect([...neverUsed, ofAdministration].filter((text) => code.includes(text))).toEqual([]);
  },
);

test('the SDK has the strings by which a bundle is known to lack its parts', () => {
  const packages = '@{aws-sdk,smithy}/{core,credential-provider-*,nested-clients}';
  const files = globSync(`node_modules/${packages}/dist-es/**/*.js`, { cwd: root });
  const sdk = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  expect(neverUsed.filter((text) => !sdk.includes(text))).toEqual([]);
});

test('each file of functions/ but functions/shared is part of a bundle, or builds it', () => {
  const loaded = findLoaded(Object.values(entries).map((entry) => `functions/${entry}.ts`));
  const files = globSync('functions/**/*.*', { cwd: root }).map((file) =>
    file.replaceAll(sep, '/'),
  );
  const others = files.filter(
    (file) => !file.startsWith('functions/shared/') && !loaded.includes(file),
  );
  expect(others.sort()).toEqual([
    'functions/dynamodb/sdk-replacements.ts',
    'functions/load-bundle.mjs',
  ]);
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

// The proxy has TLS and checks credentials. It resets the second call of the first function.
const handshakes = [undefined, resetHandshake];
const proxy = await startFaultProxy(handshakes);
/** The variables that Lambda sets, and those of the test. */
const environment = {
  ...withoutAwsFiles,
  ...temporaryCredentials,
  TZ: 'UTC',
  NODE_EXTRA_CA_CERTS: certificateFiles.certificate,
};
const dynamodb = { AWS_ENDPOINT_URL_DYNAMODB: proxy.before(endpoint) };

const create = (name: string) => operationEvent('createPlant', { body: makeBody(7, name) });
const remove = operationEvent('deletePlant');
const plant = JSON.stringify(makeFields('Ficus'));

type Call = [event: object, result: object, code: string];

/** Calls of each function, in order, with their results. By default, one that succeeds. */
const calls: Record<FunctionId, Call[]> = {
  ...succeed(),
  CreatePlant: [
    [create('Ficus'), { statusCode: 201, body: plant }, 'PLANT_CREATED'],
    [create('Ficus'), { statusCode: 200, body: plant }, 'PLANT_UNCHANGED'],
    [create('Aloe'), { statusCode: 409 }, 'REQUEST_REFUSED'],
  ],
  DeletePlant: [
    [remove, { statusCode: 204, body: '' }, 'PLANT_DELETED'],
    [remove, { statusCode: 404 }, 'REQUEST_REFUSED'],
    [{ ...remove, pathParameters: { id: '07' } }, { statusCode: 400 }, 'REQUEST_REFUSED'],
  ],
  Authorizer: [
    [tokenEvent(`Bearer ${token}`), { principalId: 'alice' }, 'TOKEN_ACCEPTED'],
    [tokenEvent(`Bearer ${unknownToken}`), { message: 'Unauthorized' }, 'TOKEN_REFUSED'],
  ],
};

/** Returns a call of each operation, which returns its success. */
function succeed(): Record<Capitalize<Operation>, Call[]> {
  const succeeding = Object.entries(operations).map(([name, { successes }]) => {
    const [[statusCode, code] = []] = Object.entries<string>(successes);
    const call = [operationEvent(name as Operation), { statusCode: Number(statusCode) }, code];
    return [functionId(name as Operation), [call]];
  });
  return Object.fromEntries(succeeding);
}

/** The reports of function-process.mjs about a process in which all functions run, one by one. */
let reports: Record<FunctionId, { modules: string[] }>;
beforeAll(async () => {
  const args = ['--unhandled-rejections=strict', join(import.meta.dirname, 'function-process.mjs')];
  const { child, ended } = startProgram(process.execPath, args, { env: environment });
  const functions = ids.map((id) => ({
    id,
    module: pathToFileURL(join(bundles[id].folder, 'start.mjs')).href,
    variables: { ...bundles[id].variables, ...dynamodb },
    events: calls[id].map(([event]) => event),
  }));
  child.stdin.end(JSON.stringify(functions));
  const { stdout, stderr } = await ended();
  expect(stderr).toBe('');
  reports = JSON.parse(stdout);
});

test.each(ids)('the bundle of %s warms up TLS, loads little, and serves', (id) => {
  const { modules, ...report } = reports[id];
  expect(report).toMatchObject({
    atStart: { connections: 0, secureContexts: 1, log: [] },
    results: calls[id].map(([, result]) => result),
    log: calls[id].map(([, , code]) => ({ code })),
  });
  // Fetch and HTTP/2, for example, make a cold start slow.
  expect(modules.filter((name) => /undici|http2|webstreams|zlib|worker/.test(name))).toEqual([]);
});

test('a create of the bundle whose TLS handshake is reset succeeds', () => {
  expect(handshakes).toEqual([]);
  expect(reports.CreatePlant).toMatchObject({ results: [{}, { statusCode: 200 }, {}] });
  expect(reports.CreatePlant.modules).toContain('NativeModule https');
});
