import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { environment } from '../../../functions/shared/environment-variables.ts';

const run = promisify(execFile);

export interface Docker {
  /** In Lambda's terms. */
  architecture: 'arm64' | 'x86_64';
  /** An address of this machine that containers can reach. */
  address: string;
  /** The name of this machine in the containers. */
  hostname: string;
}

/** Asks the Docker daemon. Throws an error of one line if there is none. */
export async function requireDocker(): Promise<Docker> {
  const form = '{{.Architecture}} {{.OperatingSystem}}';
  const { stdout } = await run('docker', ['info', '--format', form]).catch(() => {
    const advice = 'Install and start it: https://docs.docker.com/get-started/get-docker/';
    throw new Error(`Docker is not running. ${advice}`);
  });
  const architecture = /^(aarch64|arm64) /.test(stdout) ? 'arm64' : 'x86_64';
  // Containers in a virtual machine reach the loopback address of this machine by this name.
  if (process.platform !== 'linux' || stdout.includes('Docker Desktop')) {
    return { architecture, address: '127.0.0.1', hostname: 'host.docker.internal' };
  }
  const address = await requireBridgeAddress();
  return { architecture, address, hostname: address };
}

/** Returns this machine's address on Docker's bridge, which is the first one of its subnet. */
async function requireBridgeAddress(): Promise<string> {
  // On its first run, the daemon reports the subnet but no gateway.
  const form = '{{range .IPAM.Config}}{{.Subnet}}{{end}}';
  const { stdout } = await run('docker', ['network', 'inspect', 'bridge', '--format', form]);
  const [, start, last] = /^((?:\d+\.){3})(\d+)\//.exec(stdout) ?? [];
  if (start === undefined) {
    throw new Error('Docker has no network "bridge" with an address. Restart the Docker daemon.');
  }
  return `${start}${Number(last) + 1}`;
}

/** Removes the containers in which SAM CLI runs functions that use a database. */
export function removeContainers(dynamodbEndpoint: string): void {
  const ofSamCli = ['--filter', 'label=sam.cli.container.type=lambda'];
  const all = readLines(['ps', '--all', '--quiet', ...ofSamCli]);
  if (all.length === 0) {
    return;
  }
  const variable = JSON.stringify(`${environment.dynamodbEndpoint}=${dynamodbEndpoint}`);
  const own = readLines(['inspect', '--format', '{{.Id}} {{json .Config.Env}}', ...all])
    .filter((line) => line.includes(variable))
    .map((line) => `${line.split(' ')[0]}`);
  if (own.length > 0) {
    readLines(['rm', '--force', ...own]);
  }
}

/** Returns the lines that a Docker command prints, or none if it fails. */
function readLines(args: string[]): string[] {
  const { stdout } = spawnSync('docker', args, { encoding: 'utf8' });
  return (stdout ?? '').split('\n').filter((line) => line !== '');
}
