import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { environment } from '../functions/shared/environment-variables.ts';
import { leaveAws } from '../lib/local/away-from-aws.ts';
import { newSamProgram } from '../lib/local/options.ts';
import {
  issueDemoToken,
  type LocalOptions,
  openDatabase,
  parseArguments,
  printReady,
} from '../lib/local/ready.ts';
import { findDocker } from '../lib/local/sam/docker.ts';
import { synthesize } from '../lib/local/sam/synthesize.ts';

const run = promisify(execFile);

// SAM CLI would call AWS with the developer's credentials, and pass them to containers.
leaveAws();

try {
  const program = parseArguments(newSamProgram());
  await start(program.opts(), program.args);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exit(1);
}

async function start(options: LocalOptions, args: string[]): Promise<void> {
  const [docker] = await Promise.all([findDocker(), findSam()]);
  const { endpoint } = await openDatabase(options, docker.address);
  console.error('Synthesizing the stack …');
  const folder = join(import.meta.dirname, '..', 'cdk.out', 'sam');
  const template = await synthesize(folder, docker.architecture);
  const { port: databasePort } = new URL(endpoint);
  const variables = join(folder, 'env-vars.json');
  const endpointInDocker = `http://${docker.hostname}:${databasePort}`;
  // SAM CLI passes only variables that the template declares.
  const Parameters = { [environment.dynamodbEndpoint]: endpointInDocker };
  writeFileSync(variables, JSON.stringify({ Parameters }));

  const port = `${options.port}`;
  const settings = ['--template', template, '--port', port, '--env-vars', variables];
  // EAGER sometimes loses a container.
  const sam = startSam([...settings, '--warm-containers', 'LAZY', ...args]);
  const baseUrl = await waitForUrl(sam);
  const token = await issueDemoToken(endpoint, 'npm run sam');
  try {
    await waitForResponse(baseUrl, token);
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
    return;
  }
  const ready = { baseUrl, token, dynamodbEndpoint: endpoint };
  const log = 'SAM CLI prints several lines per request.';
  printReady(ready, options, `${log} Changes need a restart.`);
}

/** Throws an error of one line if SAM CLI is not installed. */
async function findSam(): Promise<void> {
  await run('sam', ['--version']).catch(() => {
    const advice = 'Install it: https://docs.aws.amazon.com/serverless-application-model/';
    throw new Error(`SAM CLI cannot be started. ${advice}`);
  });
}

/**
 * Starts `sam local start-api`. A signal to this process, or the end of the launcher, stops SAM
 * CLI. This process exits once SAM CLI has exited.
 */
function startSam(args: string[]): ChildProcess {
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
function waitForUrl({ stdout, stderr }: ChildProcess): Promise<string> {
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
async function waitForResponse(baseUrl: string, token: string): Promise<void> {
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
