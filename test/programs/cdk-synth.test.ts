import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { readTemplate } from '../../lib/emulator/template/template.ts';
import { assemble } from '../../lib/local/assembly.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cdk = (...args: string[]) =>
  execFileSync(join(root, 'node_modules', '.bin', 'cdk'), args, {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  });
const templateOf = (assembly: string) =>
  JSON.parse(readFileSync(readTemplate(assembly).file, 'utf8'));

test.each([
  ['without settings', {}],
  [
    'with settings',
    {
      'plant-store:instance': 'copy',
      'plant-store:architecture': 'x86_64',
      'plant-store:cors-origin': '*',
    },
  ],
])(
  'an assembly has the template of cdk synth %s',
  async (name, settings: Record<string, string>) => {
    const options = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const [theirs, ours] = [join(folder, name), join(folder, `${name}, ours`)];
    // Validation takes most of the time and does not change the template.
    cdk('synth', '--quiet', '--no-validation', '--output', theirs, ...options);
    await assemble(ours, settings);
    expect(templateOf(ours)).toEqual(templateOf(theirs));
  },
);

test('synthesis rejects bad settings with one line that names them all', () => {
  const synth = () =>
    cdk(
      'synth',
      '--quiet',
      '--output',
      join(folder, 'bad'),
      '-c',
      'plant-store:memory=much',
      '-c',
      'plant-store:colour=green',
    );
  expect(synth).toThrow(
    /^Bad settings: plant-store:colour is unknown .*; plant-store:memory must be an integer from 128 to 10240, not "much"\.$/m,
  );
});
