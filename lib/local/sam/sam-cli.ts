import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Throws an error of one line if SAM CLI is not installed. */
export async function requireSamCli(): Promise<void> {
  await run('sam', ['--version']).catch(() => {
    const advice = 'Install it: https://docs.aws.amazon.com/serverless-application-model/';
    throw new Error(`SAM CLI cannot be started. ${advice}`);
  });
}

/**
 * Starts `sam local start-api`. A signal to this process, or the end of the launcher, stops SAM
 * CLI. This process exits once SAM CLI has exited and `cleanUp` has returned.
 */
export function startSamCli(args: string[], cleanUp: () => void): ChildProcess {
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
  sam.on('close', (code) => {
    cleanUp();
    if (!sam.killed) {
      console.error(`error: SAM CLI exited with code ${code}. See its output above.`);
      process.exitCode = 1;
    }
    process.exit();
  });
  return sam;
}

/** Prints the output of SAM CLI. Resolves once it listens. Later lines may be a client's words. */
export function waitUntilListening({ stdout, stderr }: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const stream of [stdout, stderr]) {
    if (stream) {
      createInterface(stream).on('line', (line) => {
        console.error(line);
        if (line.includes('* Running on ')) {
          resolve();
        }
      });
    }
  }
  return promise;
}

/**
 * Waits for a list of plants. Before it, SAM CLI may have to pull the image of the functions.
 * Returns whether they respond: if not, SAM CLI stops, and an error says why.
 */
export async function functionsRespond(
  sam: ChildProcess,
  baseUrl: string,
  token: string,
): Promise<boolean> {
  try {
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
    return true;
  } catch (error) {
    // SAM CLI also closes the connection when this process stops it.
    if (!sam.killed) {
      // Printed last, below the lines of SAM CLI's cleanup.
      sam.prependListener('close', () => {
        console.error(`error: ${(error as Error).message}`);
        process.exitCode = 1;
      });
      sam.kill('SIGINT');
    }
    return false;
  }
}
