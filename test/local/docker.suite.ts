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
const { requireDocker } = await import('../../lib/local/sam/docker.ts');
const { synthesize } = await import('../../lib/local/sam/synthesize.ts');

const info = 'info --format {{.Architecture}} {{.OperatingSystem}}';
const network = 'network inspect bridge --format {{range .IPAM.Config}}{{.Subnet}}{{end}}';

/** Finds Docker on a system. Returns it, or the message of an error. */
async function find(platform: NodeJS.Platform, output: Record<string, string>): Promise<unknown> {
  printed = output;
  const { platform: own } = process;
  Object.defineProperty(process, 'platform', { value: platform, configurable: true });
  try {
    return await requireDocker().catch((error) => error.message);
  } finally {
    Object.defineProperty(process, 'platform', { value: own, configurable: true });
  }
}

// In a virtual machine of Docker, this machine has a name. On Linux, it has an address.
const byName = { address: '127.0.0.1', hostname: 'host.docker.internal' };
const at = (address: string) => ({ architecture: 'x86_64', address, hostname: address });
const noBridge = 'Docker has no network "bridge" with an address. Restart the Docker daemon.';
test.each<[NodeJS.Platform, system: string, subnet: string, expected: unknown]>([
  ['darwin', 'aarch64 OrbStack', '', { architecture: 'arm64', ...byName }],
  ['win32', 'x86_64 Docker Desktop', '', { architecture: 'x86_64', ...byName }],
  ['linux', 'arm64 Docker Desktop', '', { architecture: 'arm64', ...byName }],
  ['linux', 'x86_64 Ubuntu', '172.17.0.0/16', at('172.17.0.1')],
  ['linux', 'x86_64 Ubuntu', '10.200.3.64/26', at('10.200.3.65')],
  ['linux', 'x86_64 Ubuntu', '', noBridge],
  ['linux', 'x86_64 Ubuntu', 'fd00::/80', noBridge],
  ['linux', 'x86_64 Ubuntu', 'x172.17.0.0/16', noBridge],
])('on %s, in Docker on %s with the network “%s”, npm run sam uses %j', async (...row) => {
  const [platform, system, subnet, expected] = row;
  const output = { [info]: `${system}\n`, [network]: `${subnet}\n` };
  expect(await find(platform, output)).toEqual(expected);
});

test('without Docker, npm run sam fails with one line', async () => {
  expect(await find('linux', {})).toBe(
    'Docker is not running. Install and start it: https://docs.docker.com/get-started/get-docker/',
  );
});

test('if the stack cannot be synthesized, the output of CDK says why', async () => {
  const synthesizing = synthesize(temporaryFolder(), 'x86_64');
  await expect(synthesizing).rejects.toHaveProperty(
    'message',
    'Cannot synthesize the stack.\nno such construct\n',
  );
});
