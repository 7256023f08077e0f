import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bundle, entries } from '../../lib/bundle.ts';

const bundles = mkdtempSync(join(tmpdir(), 'plant-store-'));
beforeAll(() => void bundle(bundles));
afterAll(() => rmSync(bundles, { recursive: true }));

/** Counts, in a process of its own, what a module did by the time it had been imported, as Lambda imports it before the first event. */
const probe = `
  import crypto from 'node:crypto';
  import net from 'node:net';
  import tls from 'node:tls';
  import { syncBuiltinESMExports } from 'node:module';
  const count = { signatures: 0, connections: 0, secureContexts: 0 };
  const spy = (object, name, counter) => {
    const original = object[name];
    object[name] = function (...args) { count[counter] += 1; return original.apply(this, args); };
  };
  spy(crypto, 'createHmac', 'signatures');
  spy(net.Socket.prototype, 'connect', 'connections');
  spy(tls, 'createSecureContext', 'secureContexts');
  syncBuiltinESMExports();
  const module = await import(process.argv[1]);
  console.log(JSON.stringify({ ...count, handler: typeof module.handler, heavy: process.moduleLoadList.filter((name) => /undici|http2/.test(name)) }));
`;

const importing = (file: string) =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', probe, file], {
      encoding: 'utf8',
      env: {
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'key',
        PLANTS_TABLE: 'P',
        ACCESS_TOKENS_TABLE: 'A',
      },
    }),
  );

test.each(entries)(
  'the bundle of %s has signed a request, sent none and made its TLS context before its handler can be called',
  (entry) => {
    const folder = join(bundles, entry);
    expect(importing(join(folder, 'index.js'))).toMatchObject({ signatures: 0, secureContexts: 0 });
    const started = importing(join(folder, 'start.mjs'));
    expect(started).toEqual({
      signatures: expect.any(Number),
      connections: 0,
      secureContexts: 1,
      handler: 'function',
      heavy: [],
    });
    expect(started.signatures).toBeGreaterThan(0);
  },
);
