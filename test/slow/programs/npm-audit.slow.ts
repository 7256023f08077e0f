import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { serve } from '../../support/http/servers.ts';
import { runProcess } from '../../support/programs/run.ts';

// The weekly workflow runs these commands.

/** A response of the npm registry, as the repository npm/cli recorded it. */
const advisories = {
  lodash: [
    {
      id: 1065,
      url: 'https://npmjs.com/advisories/1065',
      title: 'Prototype Pollution',
      severity: 'high',
      vulnerable_versions: '<4.17.12',
    },
  ],
};

test.each([
  { audit: '--omit=dev --omit=optional', asked: [], code: 0, printed: 'found 0 vulnerabilities' },
  {
    audit: '--prefix .',
    asked: ['4.17.11'],
    code: 1,
    printed: 'https://npmjs.com/advisories/1065',
  },
])('npm audit $audit exits with $code for a package of development', async (row) => {
  const { audit, asked, code, printed } = row;
  const cwd = temporaryFolder();
  const devDependencies = { lodash: '4.17.11' };
  const packages = {
    '': { devDependencies },
    'node_modules/lodash': { version: '4.17.11', dev: true },
  };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ devDependencies }));
  const lock = { lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify(lock));
  const versions: string[] = [];
  const registry = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    if (request.url !== '/-/npm/v1/security/advisories/bulk') {
      response.writeHead(404).end('{}');
      return;
    }
    versions.push(...JSON.parse(`${gunzipSync(body)}`).lodash);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(advisories));
  });
  const env = { npm_config_registry: registry, npm_config_cache: cwd };
  const ended = await runProcess('npm', ['audit', ...audit.split(' ')], { cwd, env });
  expect(ended.stdout).toContain(printed);
  expect({ code: ended.code, versions }).toEqual({ code, versions: asked });
});
