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
import { type assemble, digestOf, sourceFiles } from '../../lib/assembly/assembly.ts';
import { bundle, entryOf, type FunctionName, startBundler } from '../../lib/bundle.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { copyProject, root } from '../support/project.ts';

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
    const own: { assemble: typeof assemble } = await import(inRoot('lib/assembly/assembly.ts'));
    await own.assemble(folder, context, during);
    const template = readFileSync(join(folder, 'template'), 'utf8');
    return { template, isNew: syntheses > before };
  }

  test('is used as long as nothing changes that it depends on', async () => {
    const { template } = await assembled();
    appendFileSync(inRoot('lib/emulator/listen.ts'), '\n');
    appendFileSync(inRoot('bin/token.ts'), '\n');
    writeFileSync(inRoot('README.md'), 'Read me');
    expect(await assembled()).toEqual({ template, isNew: false });
  });

  test.each([
    'functions/list-plants.ts',
    'functions/shared/headers.ts',
    'lib/settings.ts',
    'lib/constructs/api.ts',
    'cdk.json',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'node_modules/.package-lock.json',
  ])('is not used after a change of %s', async (file) => {
    await assembled();
    appendFileSync(inRoot(file), ' ');
    expect(await assembled()).toMatchObject({ isNew: true });
    expect(await assembled()).toMatchObject({ isNew: false });
  });

  test('depends on the files that links lead to', async () => {
    const shared = temporaryFolder();
    symlinkSync(shared, inRoot('functions/linked'));
    symlinkSync(inRoot('functions'), inRoot('functions/around'));
    symlinkSync(inRoot('nowhere'), inRoot('functions/broken'));
    await assembled();
    expect(await assembled()).toMatchObject({ isNew: false });
    writeFileSync(join(shared, 'more.ts'), '');
    expect(await assembled()).toMatchObject({ isNew: true });
    for (const link of ['linked', 'around', 'broken']) rmSync(inRoot(`functions/${link}`));
  });

  test('is not used when a file has come or gone', async () => {
    await assembled();
    writeFileSync(inRoot('functions/new.ts'), '');
    expect(await assembled()).toMatchObject({ isNew: true });
    rmSync(inRoot('functions/new.ts'));
    expect(await assembled()).toMatchObject({ isNew: true });
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

  test('is not used with other variables of CDK', async () => {
    await assembled();
    process.env.CDK_CONTEXT_JSON = '{"plant-store:instance":"copy"}';
    try {
      expect(await assembled()).toMatchObject({ isNew: true });
    } finally {
      delete process.env.CDK_CONTEXT_JSON;
    }
  });

  test('does not come from sources that changed meanwhile', async () => {
    appendFileSync(inRoot('functions/log.ts'), ' ');
    await assembled({}, async (folder) => {
      await synthesize(folder);
      appendFileSync(inRoot('functions/log.ts'), ' ');
    });
    expect(await assembled()).toMatchObject({ isNew: true });
  });

  test('is replaced if it is damaged', async () => {
    await assembled();
    for (const file of globSync(inRoot('node_modules/.cache/plant-store/*')))
      writeFileSync(file, readFileSync(file).subarray(0, -5));
    expect(await assembled()).toMatchObject({ isNew: true });
    expect(await assembled()).toMatchObject({ isNew: false });
  });
});

test('changed functions are bundled as a synthesis bundles them', async () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  bundle(folder, 'linked');
  const bundler = await startBundler('linked');
  await bundler.bundle(temporaryFolder());
  const folders = await bundler.bundle(other);
  await bundler.stop();
  for (const [name, entry] of Object.entries(entryOf)) {
    expect(folders[name as FunctionName]).toBe(join(other, entry));
    for (const file of ['index.js', 'start.mjs'])
      expect(
        readFileSync(join(other, entry, file)).equals(readFileSync(join(folder, entry, file))),
      ).toBe(true);
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
