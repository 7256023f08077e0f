import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { operations } from '../../functions/shared/operations.ts';
import { entryOf } from '../../lib/bundle.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { serve } from '../support/http/servers.ts';
import { eventFor } from '../support/service/lambda-events.ts';
import { extendedCopy, extendedLine, extendedNames } from '../support/stack/extended-copy.ts';
import { runFunction } from './function-process.ts';

let fetched: string[] = [];
const bundles = temporaryFolder();
let copy: string;
let endpoint: string;

/** Bundles the functions of the copy, as a deployment does. */
function bundleCopy(): void {
  const code = "import { bundle } from './lib/bundle.ts'; bundle(process.argv[1]);";
  execFileSync(process.execPath, ['--input-type=module', '-e', code, bundles], { cwd: copy });
}

beforeAll(async () => {
  copy = extendedCopy(
    await serve(({ url = '' }, response) => {
      fetched.push(url.slice(1));
      response.end();
    }),
  );
  endpoint = await serve((request, response) =>
    request.resume().on('end', () => response.end('{}')),
  );
  bundleCopy();
});

test.each(extendedNames)('what is added to %s runs with a request and not before', async (name) => {
  const entry = name === 'authorizer' ? entryOf.Authorizer : operations[name].entry;
  const folder = join(bundles, entry);
  fetched = [];
  const { connections, log: early } = (await runFunction(folder, { endpoint })).atStart;
  expect({ fetched, connections, early }).toEqual({ fetched: [], connections: 0, early: [] });

  const events = [eventFor(entry), eventFor(entry)];
  const { log } = await runFunction(folder, { endpoint, events });
  expect(log.filter((line) => line === extendedLine(name))).toHaveLength(2);
  expect(fetched.sort()).toEqual([name, name, 'kept'].sort());
});

test('a middleware is called at the start, writes nothing, and its failure is logged', async () => {
  const file = join(copy, 'functions', 'http', 'operation.ts');
  const own = readFileSync(file, 'utf8');
  const middleware = (code: string) =>
    own.replace('.use(answer())', `.use(answer()).use({ before: () => { ${code} } })`);

  writeFileSync(file, middleware("console.info('called'); console.error('called');"));
  bundleCopy();
  const folder = join(bundles, entryOf.ListPlants);
  expect((await runFunction(folder, { endpoint })).atStart.log).toEqual([]);

  writeFileSync(file, middleware("throw new Error('It needs a header.');"));
  bundleCopy();
  expect((await runFunction(folder, { endpoint })).atStart.log).toEqual([
    {
      code: 'PRIMING_FAILED',
      cause: expect.objectContaining({
        message: expect.stringMatching(/^The pipeline answered its example with 500/),
      }),
      errors: [
        expect.objectContaining({
          code: 'REQUEST_FAILED',
          cause: expect.objectContaining({ message: 'It needs a header.' }),
        }),
      ],
    },
  ]);
});
