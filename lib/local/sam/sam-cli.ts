import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Throws an error of one line if SAM CLI is not installed. */
export async function findSamCli(): Promise<void> {
  await run('sam', ['--version']).catch(() => {
    const advice = 'Install it: https://docs.aws.amazon.com/serverless-application-model/';
    throw new Error(`SAM CLI cannot be started. ${advice}`);
  });
}

/**
 * Starts `sam local start-api`. A signal to this process, or the end of the launcher, stops SAM
 * CLI. This process exits once SAM CLI has exited.
 */
export function startSamCli(args: string[]): ChildProcess {
  const sam = spawn('sam', ['local', 'start-api', ...args], {
    // Use a separate process group. Otherwise Ctrl-C reaches SAM CLI twice and stops its cleanup.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  function stop(): void {
    // A second signal would abort its cleanup.
    if (!sam.killed) {
      sam.kill('SIGINT');
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, stop);
  }
  process.once('disconnect', stop);
  process.once('exit', stop);
  const containers: string[] = [];
  createInterface(sam.stderr).on('line', (line) => {
    const [, id] = /SAM_CONTAINER_ID: (\w+)/.exec(line) ?? [];
    if (id !== undefined) {
      containers.push(id);
    }
  });
  sam.on('close', (code) => {
    // A signal while a container starts makes SAM CLI leave it behind.
    if (containers.length > 0) {
      spawnSync('docker', ['rm', '--force', ...containers], { stdio: 'ignore' });
    }
    if (!sam.killed) {
      console.error(`error: SAM CLI exited with code ${code}. See its output above.`);
      process.exitCode = 1;
    }
    process.exit();
  });
  return sam;
}

/** Prints the output of SAM CLI. Returns its base URL, without a stage, once it listens. */
export function waitForUrl({ stdout, stderr }: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const stream of [stdout, stderr]) {
    if (stream) {
      createInterface(stream).on('line', (line) => {
        console.error(line);
        const [, url] = /\* Running on (https?:\/\/\S+)/.exec(line) ?? [];
        if (url !== undefined) {
          resolve(url);
        }
      });
    }
  }
  return promise;
}

/** Waits for a list of plants. Before it, SAM CLI may have to pull the image of the functions. */
export async function waitForResponse(baseUrl: string, token: string): Promise<void> {
  // fetch may time out before the image is pulled. This agent uses no proxy.
  const headers = { Authorization: `Bearer ${token}` };
  const request = get(`${baseUrl}/plants`, { headers, agent: false });
  const [{ statusCode }] = (await once(request, 'response')) as [IncomingMessage];
  if (statusCode !== 200) {
    throw new Error(
      `GET /plants returned ${statusCode}. See the output of SAM CLI above. If the image of the ` +
        'functions cannot be pulled: npm run sam -- -- --skip-pull-image',
    );
  }
}
