import * as childProcess from 'node:child_process';
import { expect, jest, test } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';

/** What Docker prints, by the arguments of its command. Other commands fail. */
let printed: Record<string, string> = {};
jest.unstable_mockModule('node:child_process', () => ({
  ...childProcess,
  execFile(program: string, args: string[], ...others: unknown[]) {
    const stdout = program === 'docker' ? printed[args.join(' ')] : undefined;
    const failure = Object.assign(new Error(`${program} failed`), {
      stderr: 'no such construct\n',
    });
    const done = others.at(-1) as (error: Error | null, ended: object) => void;
    done(stdout === undefined ? failure : null, { stdout });
  },
}));
const { findDocker } = await import('../../bin/command-line/docker.ts');
const { synthesize } = await import('../../bin/command-line/synthesize.ts');

const info = 'info --format {{.Architecture}} {{.OperatingSystem}}';
const network = 'network inspect bridge --format {{range .IPAM.Config}}{{.Subnet}}{{end}}';

/** Finds Docker on a system. Returns it, or the message of an error. */
async function find(platform: NodeJS.Platform, output: Record<string, string>): Promise<unknown> {
  printed = output;
  const { platform: own } = process;
  Object.defineProperty(process, 'platform', { value: platform, configurable: true });
  try {
    return await findDocker().catch((error) => error.message);
  } finally {
    Object.defineProperty(process, 'platform', { value: own, configurable: true });
  }
}

test.each<[NodeJS.Platform, system: string]>([
  ['darwin', 'OrbStack'],
  ['win32', 'Docker Desktop'],
  ['linux', 'Docker Desktop'],
])('on %s, the containers of %s reach this machine by a name', async (platform, system) => {
  const names = { address: '127.0.0.1', hostname: 'host.docker.internal' };
  for (const [printed, architecture] of [
    ['x86_64', 'x86_64'],
    ['aarch64', 'arm64'],
    ['arm64', 'arm64'],
  ]) {
    const found = await find(platform, { [info]: `${printed} ${system}\n` });
    expect(found).toEqual({ architecture, ...names });
  }
});

test.each([
  { subnet: '172.17.0.0/16', address: '172.17.0.1' },
  { subnet: '10.200.3.64/26', address: '10.200.3.65' },
])('on Linux, containers in $subnet reach this machine at $address', async (row) => {
  const found = await find('linux', { [info]: 'x86_64 Ubuntu\n', [network]: `${row.subnet}\n` });
  expect(found).toEqual({ architecture: 'x86_64', address: row.address, hostname: row.address });
});

test('without Docker, or an address of its network, npm run sam fails with one line', async () => {
  const bridge = 'Docker has no network "bridge" with an address. Restart the Docker daemon.';
  expect(await find('linux', {})).toBe(
    'Docker is not running. Install and start it: https://docs.docker.com/get-started/get-docker/',
  );
  for (const subnet of ['', 'fd00::/80', 'x172.17.0.0/16']) {
    expect(await find('linux', { [info]: 'x86_64 Ubuntu\n', [network]: subnet })).toBe(bridge);
  }
});

test('if the stack cannot be synthesized, the output of CDK says why', async () => {
  const synthesizing = synthesize(temporaryFolder(), 'x86_64');
  await expect(synthesizing).rejects.toHaveProperty(
    'message',
    'Cannot synthesize the stack.\nno such construct\n',
  );
});
