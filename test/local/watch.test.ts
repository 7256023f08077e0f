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
  const { currentSources }: typeof import('../../lib/assembly/assembly.ts') = await import(
    join(copy, 'lib', 'assembly', 'assembly.ts')
  );
  const { watchSources }: typeof import('../../bin/local/watch.ts') = await import(
    join(copy, 'bin', 'local', 'watch.ts')
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

  /** Changes a file. Once this has resolved, only an event of another change causes a check. */
  const change = async (file: string, count: number) => {
    events.length = 0;
    appendFileSync(join(copy, file), '// Changed.\n');
    const isServed = () => replacements.length === count && events.includes(join(copy, file));
    await eventually(`what follows from a change of ${file}`, isServed, {
      instead: () => said.join('\n'),
    });
    await new Promise(setImmediate);
  };
  await change('functions/plants/list.ts', 1);
  await change('lib/constructs/api.ts', 2);
  await change('functions/plants/list.ts', 3);
  const bundled = expect.objectContaining({ ListPlants: expect.any(String) });
  expect(replacements).toEqual([bundled, undefined, bundled]);
});
