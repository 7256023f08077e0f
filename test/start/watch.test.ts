import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { subscribe } from '@parcel/watcher';
import { copyProject } from '../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';

/** Watches a copy of the project. Returns how to change a file in it, and what followed. */
async function watchedCopy() {
  const copy = temporaryFolder();
  copyProject(copy);
  const { currentSources }: typeof import('../../lib/offline/assembly.ts') = await import(
    join(copy, 'lib', 'offline', 'assembly.ts')
  );
  const { watchSources }: typeof import('../../bin/start/watch.ts') = await import(
    join(copy, 'bin', 'start', 'watch.ts')
  );
  const said: unknown[] = [];
  jest.spyOn(console, 'error').mockImplementation((line) => {
    said.push(line);
  });
  const replacements: (object | undefined)[] = [];
  const { stop } = await watchSources(
    { assembly: temporaryFolder(), sources: currentSources() },
    temporaryFolder,
    {},
    async (_, code) => {
      replacements.push(code);
    },
  );
  finallyDo(stop);

  const events: string[] = [];
  const { unsubscribe } = await subscribe(copy, (_, all) => {
    events.push(...all.map(({ path }) => path));
  });
  finallyDo(unsubscribe);
  /** Appends to a file and waits until that is noticed. */
  async function append(file: string, text: string): Promise<void> {
    const path = join(copy, file);
    const before = events.filter((event) => event === path).length;
    appendFileSync(path, text);
    const isNoticed = () => events.filter((event) => event === path).length > before;
    await eventually(`an event of ${file}`, isNoticed);
  }
  /** Waits until the functions were replaced so many times. */
  async function replaced(times: number): Promise<void> {
    const instead = () => said.join('\n');
    await eventually(`replacement ${times}`, () => replacements.length >= times, { instead });
    await new Promise(setImmediate);
  }
  return { append, replaced, replacements, said };
}

const bundled = expect.objectContaining({ ListPlants: expect.any(String) });

test('a changed function is bundled alone, and a changed stack is synthesized', async () => {
  const { append, replaced, replacements } = await watchedCopy();
  for (const [i, file] of ['functions/plants/list.ts', 'lib/constructs/api.ts'].entries()) {
    await append(file, '// Changed.\n');
    await replaced(i + 1);
  }
  expect(replacements).toEqual([bundled, undefined]);
});

test('files that change one after the other are served when all have changed', async () => {
  const { append, replaced, replacements, said } = await watchedCopy();
  // The first bundles of all take longer.
  await append('functions/plants/list.ts', '// Changed.\n');
  await replaced(1);
  // The first file is not valid without the second, and the second not without the third.
  await append('functions/plants/list.ts', "import './one.ts';\n");
  await append('functions/plants/one.ts', "import './two.ts';\n");
  await append('functions/plants/two.ts', 'console.log(1);\n');
  await replaced(2);
  expect(replacements).toEqual([bundled, bundled]);
  expect(said.filter((line) => `${line}`.startsWith('The functions stay'))).toEqual([]);
});
