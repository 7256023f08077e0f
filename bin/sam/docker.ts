import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const installation = 'https://docs.docker.com/get-started/get-docker/';

/** What the running Docker daemon says of its containers. */
export interface Docker {
  /** As Lambda calls it. */
  architecture: 'arm64' | 'x86_64';
  /** An address of this machine that the containers reach, and other machines do not. */
  address: string;
  /** The name of this machine in the containers. */
  hostname: string;
}

/** Asks the running Docker daemon. Rejects with one line for people if no daemon answers. */
export async function findDocker(): Promise<Docker> {
  const { stdout: answer } = await run('docker', ['info', '--format', '{{json .}}']).catch(
    ({ code }: NodeJS.ErrnoException) => {
      throw new Error(
        code === 'ENOENT'
          ? `There is no Docker: get it from ${installation} and start it.`
          : 'Docker does not answer: start it ("docker info" says more).',
      );
    },
  );
  const info = parseInfo(answer);
  const architecture = /^(aarch64|arm64)$/.test(info.Architecture) ? 'arm64' : 'x86_64';
  // If containers run in a virtual machine, its name for this machine leads to the loopback.
  if (process.platform !== 'linux' || info.OperatingSystem === 'Docker Desktop') {
    return { architecture, address: '127.0.0.1', hostname: 'host.docker.internal' };
  }
  const format = '{{json .IPAM.Config}}';
  // A daemon may run without this network. Then there is no address.
  const inspect = ['network', 'inspect', 'bridge', '--format', format];
  const { stdout } = await run('docker', inspect).catch(() => ({ stdout: '[]' }));
  const address = bridgeAddress(JSON.parse(stdout) ?? []);
  return { architecture, address, hostname: address };
}

interface Info {
  Architecture: string;
  OperatingSystem: string;
}

/** Parses an answer of `docker info`. Throws a line for people if Docker did not write it. */
export function parseInfo(answer: string): Info {
  try {
    const info: Info = JSON.parse(answer);
    if (info.Architecture && info.OperatingSystem) {
      return info;
    }
  } catch {
    // It is no JSON.
  }
  throw new Error(
    'The command "docker" is not Docker, but Podman perhaps: ' +
      `get Docker from ${installation}, or use "npm start".`,
  );
}

/**
 * Returns this machine's address on Docker's bridge. A daemon that has been started for the first
 * time does not name it, but gives the bridge the first address of its subnet. Node does not list
 * the interface docker0 while no container runs.
 */
export function bridgeAddress(configuration: { Subnet?: string; Gateway?: string }[]): string {
  for (const { Subnet = '', Gateway } of configuration) {
    const [, start, last] = /^((?:\d+\.){3})(\d+)\/\d+$/.exec(Subnet) ?? [];
    if (Gateway || start) {
      return Gateway || `${start}${Number(last) + 1}`;
    }
  }
  throw new Error('Docker has no network "bridge" with an address: restart the Docker daemon.');
}

/** Removes those of the containers that still exist, running or not. Rejects if Docker does not. */
export async function removeContainers(ids: Iterable<string>): Promise<void> {
  const { stdout } = await run('docker', ['ps', '--all', '--quiet', '--no-trunc']);
  const there = stdout.split('\n');
  const left = [...ids].filter((id) => there.includes(id));
  if (left.length > 0) {
    await run('docker', ['rm', '--force', ...left]);
  }
}
