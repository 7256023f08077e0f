import { copyFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as config from '@smithy/core/config';
import { build as esbuild, type Plugin } from 'esbuild';
import { digest } from '../../functions/access-tokens/token.ts';
import * as stubs from '../../functions/dynamodb/stubs.ts';
import { build, buildOptions, bundle, type Entry, requestEntries } from '../../lib/bundle.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { root } from '../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { eventFor, tokenOf } from '../support/service/lambda-events.ts';
import { type Run, runFunction } from './function-process.ts';

const ours = temporaryFolder();
bundle(ours);

/** The functions with the SDK as it is: no stub, no shortcut. */
const whole = temporaryFolder();
const contents = 'export const streamCollector = undefined;';
const withoutShortcuts: Plugin = {
  name: 'without shortcuts',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/dynamodb\/stream-collector\.ts$/ }, () => ({ contents })),
};
const differently = { alias: {}, inject: [], plugins: [withoutShortcuts] };
await esbuild({ ...buildOptions(), ...differently, outdir: whole, write: true });
for (const entry of requestEntries) {
  copyFileSync(join(ours, entry, 'start.mjs'), join(whole, entry, 'start.mjs'));
}

const plant = { id: { N: '7' }, name: { S: 'Monstera' }, tag: { S: 'ü' } };
const record = (caller: string) => {
  const token = tokenOf(caller);
  return {
    id: { S: token.slice(4, 16) },
    digest: { B: digest(token).toString('base64') },
    owner: { S: 'owner' },
    scopes: { L: [{ S: 'plants:read' }] },
    label: { S: '' },
    created: { N: '1600000000' },
  };
};
const error = (status: number, type: string) => (response: ServerResponse) =>
  response
    .writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
    .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type }));

/** What the database does with the first request of a caller. It answers the others. */
const faults: Record<string, (response: ServerResponse) => void> = {
  served: () => {},
  throttled: error(400, 'ThrottlingException'),
  slowed: error(400, 'ProvisionedThroughputExceededException'),
  conflict: error(400, 'ConditionalCheckFailedException'),
  invalid: error(400, 'ValidationException'),
  broken: error(500, 'InternalServerError'),
  unavail: (response) => response.writeHead(503).end('<html>'),
  malformed: (response) => response.end('{"Item'),
  reset: (response) => response.destroy(),
  cut: (response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"It');
    setImmediate(() => response.destroy());
  },
  skewed: (response) => {
    response.setHeader('date', 'Tue, 14 Nov 2023 23:13:20 GMT');
    error(400, 'RequestTimeTooSkewed')(response);
  },
};
const callers = Object.keys(faults);

interface Seen {
  callers: Set<string>;
  requests: { headers: unknown; body: string }[];
}
let seen: Seen;
let entryNow: Entry;

const database = createServer(async (request, response) => {
  // The function's own time, so that it does not correct its clock.
  response.setHeader('date', 'Tue, 14 Nov 2023 22:13:20 GMT');
  const body = `${Buffer.concat(await request.toArray())}`;
  seen.requests.push({ headers: request.headers, body });
  const caller = callers.find((name) => body.includes(name)) ?? '';
  const isFirst = !seen.callers.has(caller);
  seen.callers.add(caller);
  if (isFirst && caller !== 'served') {
    return faults[caller]?.(response);
  }
  const Item = entryNow === 'authorize' ? record(caller) : plant;
  // Too long to arrive in one piece.
  const padding = ' '.repeat(300_000);
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
  response.write(`{"Attributes":${JSON.stringify(plant)},${padding}`);
  response.end(`"Item":${JSON.stringify(Item)},"Items":[${JSON.stringify(plant)}]}`);
});
const endpoint = `http://127.0.0.1:${await listen(database, 0, '127.0.0.1')}`;
finallyDo(() => database.close().closeAllConnections());

/** Calls a function once for each fault. Returns what it did and what the database got. */
async function run(folder: string, entry: Entry): Promise<Run & Seen> {
  seen = { callers: new Set(), requests: [] };
  entryNow = entry;
  const events = callers.map((caller) => eventFor(entry, caller));
  const outcome = await runFunction(join(folder, entry), { events, endpoint, frozen: true });
  return { ...outcome, ...seen };
}

describe.each(requestEntries)('%s with and without stubs', (entry) => {
  test('sends the same requests, gives the same answers and logs the same', async () => {
    const short = await run(ours, entry);
    const long = await run(whole, entry);
    expect(short.requests).toEqual(long.requests);
    expect(short.answers).toEqual(long.answers);
    const withoutStacks = (log: unknown[]) =>
      JSON.parse(JSON.stringify(log, (key, value) => (key === 'stack' ? undefined : value)));
    expect(withoutStacks(short.log)).toEqual(withoutStacks(long.log));
    expect(short.answers).toHaveLength(callers.length);
    expect(short.requests.length).toBeGreaterThan(callers.length);
  });
});

test('a stub that is used after all names its part', () => {
  const codec = 'The codec of event streams was left out of this bundle';
  expect(() => new stubs.EventStreamSerde()).toThrow(codec);
  expect(stubs.eventStreamSerdeProvider).toThrow(codec);
  const { default: region } = stubs.NODE_REGION_CONFIG_OPTIONS;
  expect(region).toThrow('A region that is not in the environment was left out of this bundle');
});

/** Returns what the environment settles, as a stub or the SDK's own part reads it. */
async function settled(part: typeof stubs) {
  const isFips = part.loadConfig(part.NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS);
  const asked = part.resolveRegionConfig({ region: async () => 'x', useFipsEndpoint: isFips });
  const given = part.resolveRegionConfig({ region: 'y', useFipsEndpoint: true });
  const values = [asked, given].flatMap(({ region, useFipsEndpoint }) => [region, useFipsEndpoint]);
  const isDual = part.loadConfig(part.NODE_USE_DUALSTACK_ENDPOINT_CONFIG_OPTIONS);
  const readers = [...values, isDual, part.resolveDefaultsModeConfig()] as (() => unknown)[];
  return [part.SelectorType, ...(await Promise.all(readers.map((read) => read())))];
}

test.each([
  {},
  ...['true', 'false', 'x'].map((value) => ({ AWS_USE_FIPS_ENDPOINT: value })),
  { AWS_USE_DUALSTACK_ENDPOINT: 'true' },
  { AWS_DEFAULTS_MODE: 'standard' },
])('the environment %j means the same with and without stubs', async (more) => {
  const { env } = process;
  process.env = { ...env, ...more };
  expect(await settled(stubs)).toEqual(await settled(config as unknown as typeof stubs));
  process.env = env;
});

test.each(['loadConfig', 'parseKnownFiles'])(
  'a function that calls %s gets the real part, and another function does not',
  (name) => {
    const file = join(temporaryFolder(), 'other.js');
    const client = JSON.stringify(join(root, 'functions/dynamodb/client.ts'));
    const source = `export { ${name} } from '@smithy/core/config'; export * from ${client};`;
    writeFileSync(file, source);
    const entryPoints = ['functions/authorize.ts', file];
    const builds = build({
      ...buildOptions(),
      entryPoints,
      nodePaths: [join(root, 'node_modules')],
    });
    const readsFiles = builds
      .flatMap(({ metafile }) => Object.values(metafile.outputs))
      .map(({ entryPoint = '', imports }) => [
        basename(entryPoint),
        imports.some(({ path }) => path === 'node:fs/promises'),
      ]);
    expect(Object.fromEntries(readsFiles)).toEqual({ 'authorize.ts': false, 'other.js': true });
  },
);
