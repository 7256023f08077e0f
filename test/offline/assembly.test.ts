import {
  appendFileSync,
  globSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { bundle, entryOf, type FunctionName, startBundler } from '../../lib/bundle.ts';
import { type assemble, sourceFiles } from '../../lib/offline/assembly.ts';
import { digestOf } from '../../lib/offline/digest.ts';
import { copyProject, root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';
import { words } from '../support/words.ts';

describe('a kept assembly', () => {
  const root = temporaryFolder();
  copyProject(root);
  const inRoot = (file: string) => join(root, file);
  let syntheses = 0;
  const synthesize = async (folder: string) => {
    syntheses += 1;
    writeFileSync(join(folder, 'template'), `synthesis ${syntheses}`);
  };
  /** Returns the template, and whether it had to be synthesized. */
  async function assembled(context?: Record<string, unknown>, during = synthesize) {
    const before = syntheses;
    const folder = temporaryFolder();
    const own: { assemble: typeof assemble } = await import(inRoot('lib/offline/assembly.ts'));
    await own.assemble(folder, context, during);
    const template = readFileSync(join(folder, 'template'), 'utf8');
    return { template, isNew: syntheses > before };
  }

  const append = (file: string) => appendFileSync(inRoot(file), ' ');

  test('is used as long as nothing changes that it depends on', async () => {
    const { template } = await assembled();
    for (const file of ['lib/offline/http/listen.ts', 'bin/token.ts', 'README.md']) {
      append(file);
    }
    expect(await assembled()).toEqual({ template, isNew: false });
  });

  const linked = temporaryFolder();
  writeFileSync(join(linked, 'one.ts'), '');
  const damage = (file: string) => writeFileSync(file, readFileSync(file).subarray(0, -5));
  const files = words(`
    functions/list-plants.ts functions/shared/headers.ts lib/settings.ts lib/constructs/api.ts
    cdk.json package.json package-lock.json tsconfig.json node_modules/.package-lock.json
  `);
  const testLinks = testOnPosix('links need a right there');
  async function expectNewAfter(change: () => unknown): Promise<void> {
    await assembled();
    change();
    expect(await assembled()).toMatchObject({ isNew: true });
    expect(await assembled()).toMatchObject({ isNew: false });
  }
  test.each<[what: string, change: () => unknown]>([
    ...files.map((file): [string, () => unknown] => [`a change of ${file}`, () => append(file)]),
    ['a file has come', () => writeFileSync(inRoot('functions/new.ts'), '')],
    ['a file has gone', () => rmSync(inRoot('functions/new.ts'))],
    ['it is damaged', () => globSync(inRoot('node_modules/.cache/plant-store/*')).forEach(damage)],
    ['a variable of CDK is set', () => (process.env.CDK_CONTEXT_JSON = '{"a":1}')],
  ])('is not used after this: %s', async (_, change) => {
    await expectNewAfter(change);
    delete process.env.CDK_CONTEXT_JSON;
  });

  testLinks.each<[what: string, change: () => unknown]>([
    ['a link has come', () => symlinkSync(linked, inRoot('functions/linked'))],
    ['a file has come behind the link', () => writeFileSync(join(linked, 'more.ts'), '')],
  ])('is not used after this: %s', (_, change) => expectNewAfter(change));

  testLinks('is used although links lead around or nowhere', async () => {
    symlinkSync(inRoot('functions'), inRoot('functions/around'));
    symlinkSync(inRoot('nowhere'), inRoot('functions/broken'));
    await assembled();
    expect(await assembled()).toMatchObject({ isNew: false });
    for (const link of ['linked', 'around', 'broken']) {
      rmSync(inRoot(`functions/${link}`));
    }
  });

  test('is one for each context', async () => {
    const plain = await assembled();
    const copy = { 'plant-store:instance': 'copy' };
    expect(await assembled(copy)).toMatchObject({ isNew: true });
    expect(await assembled(copy)).toMatchObject({ isNew: false });
    expect(await assembled()).toEqual({ ...plain, isNew: false });
    // Undefined hides what cdk.json has.
    expect(await assembled({ 'plant-store:instance': undefined })).toMatchObject({ isNew: true });
  });

  test('does not come from sources that changed meanwhile', async () => {
    append('functions/log.ts');
    await assembled({}, async (folder) => {
      await synthesize(folder);
      append('functions/log.ts');
    });
    expect(await assembled()).toMatchObject({ isNew: true });
  });
});

test('changed functions are bundled as a synthesis bundles them', async () => {
  const folder = temporaryFolder();
  const other = temporaryFolder();
  bundle(folder, 'linked');
  const bundler = await startBundler('linked');
  await bundler.bundleChanges(temporaryFolder());
  const folders = await bundler.bundleChanges(other);
  await bundler.stop();
  for (const [name, entry] of Object.entries(entryOf)) {
    expect(folders[name as FunctionName]).toBe(join(other, entry));
    for (const file of ['index.js', 'start.mjs']) {
      const [ours, theirs] = [other, folder].map((one) => readFileSync(join(one, entry, file)));
      expect(ours?.equals(theirs ?? Buffer.alloc(0))).toBe(true);
    }
  }
});

test('a file that is gone when its digest is taken counts as empty', () => {
  const file = join(temporaryFolder(), 'list.ts~');
  const gone = digestOf([file]);
  writeFileSync(file, '');
  expect(digestOf([file])).toBe(gone);
});

test('the sources of an assembly are all files of the CDK app and of the bundles', () => {
  const app = buildSync({
    absWorkingDir: root,
    entryPoints: ['lib/synthesize.ts'],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  });
  const used = [app.metafile, bundle(temporaryFolder())]
    .flatMap(({ inputs }) => Object.keys(inputs))
    .filter((file) => !file.startsWith('node_modules/'));
  expect(used).toContain('functions/create-plant.ts');
  // `npm start -- --watch` reads this file anew after a change, but not what it imports.
  expect(app.metafile.inputs['lib/bundle.ts']?.imports.filter(({ external }) => !external)).toEqual(
    [],
  );
  const sources = sourceFiles();
  expect(used.filter((file) => !sources.includes(join(root, file)))).toEqual([]);
});
