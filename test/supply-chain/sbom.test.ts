import { expect, test } from '@jest/globals';
import { sbom } from '../../bin/sbom.ts';
import { mayBeDeployed, read } from './licences.ts';

test('the bill of materials has version, licence and digest of each bundled package', () => {
  const { components } = sbom();
  const names = components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  // It has what the functions import, and nothing that only the stack or a test uses.
  const direct = Object.keys(read('package.json').dependencies);
  expect(names).toEqual(expect.arrayContaining(direct));
  for (const tool of ['aws-cdk-lib', 'esbuild', 'commander', 'dynalite']) {
    expect(names).not.toContain(tool);
  }
  for (const { purl, name, version, licenses, hashes } of components) {
    expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/);
    expect(purl.endsWith(`${name}@${version}`)).toBe(true);
    expect([purl, mayBeDeployed(licenses[0].expression)]).toEqual([purl, true]);
    expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
  }
});
