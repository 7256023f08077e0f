import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { synthesize } from '../../lib/synthesize.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cdk = (...args: string[]) =>
  execFileSync(join(root, 'node_modules', '.bin', 'cdk'), args, {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  });
const template = (name: string) => JSON.parse(readFileSync(name, 'utf8'));

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
])('synthesize() gives the template of cdk synth %s', (name, settings: Record<string, string>) => {
  const options = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  cdk('synth', '--quiet', '--output', join(folder, name), ...options);

  const [stack] = synthesize(join(folder, `${name}, ours`), settings).stacks;
  expect(stack?.template).toEqual(
    template(join(folder, name, `${stack?.stackName}.template.json`)),
  );
});

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
