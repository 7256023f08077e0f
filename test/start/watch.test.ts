import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { subscribe } from '@parcel/watcher';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { copyProject } from '../support/project.ts';

test('a changed function is bundled alone, and a changed stack is synthesized', async () => {
  const copy = temporaryFolder();
  copyProject(copy);
  const { currentSources }: typeof import('../../lib/offline/assembly.ts') = await import(
    join(copy, 'lib', 'offline', 'assembly.ts')
  );
  const { watchSources }: typeof import('../../bin/start/watch.ts') = await import(
    join(copy, 'bin', 'start', 'watch.ts')
  );
  const said: unknown[] = [];
  jest.spyOn(console, 'error').mockImplementation((line) => void said.push(line));
  const replacements: (object | undefined)[] = [];
  const { stop } = await watchSources(
    { assembly: temporaryFolder(), sources: currentSources() },
    temporaryFolder,
    {},
    async (_, code) => void replacements.push(code),
  );
  finallyDo(stop);

  const events: string[] = [];
  const { unsubscribe } = await subscribe(copy, (_, all) => {
    events.push(...all.map(({ path }) => path));
  });
  finallyDo(unsubscribe);
  const files = ['functions/plants/list.ts', 'lib/constructs/api.ts'];
  for (const [i, file] of files.entries()) {
    appendFileSync(join(copy, file), '// Changed.\n');
    // After the event of this change, only that of another one causes a check.
    const isServed = () => replacements.length > i && events.includes(join(copy, file));
    const instead = () => said.join('\n');
    await eventually(`what follows from a change of ${file}`, isServed, { instead });
    await new Promise(setImmediate);
  }
  const bundled = expect.objectContaining({ ListPlants: expect.any(String) });
  expect(replacements).toEqual([bundled, undefined]);
});
