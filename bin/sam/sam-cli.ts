import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { removeContainers } from './docker.ts';

const installation =
  'https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/install-sam-cli.html';

interface SamOptions {
  /** The file of a synthesized template. A file for SAM CLI is written beside it. */
  template: string;
  /** 0 is any free port. */
  port: number;
  /** Values of environment variables that the template declares. */
  environment: Record<string, string>;
  /** More arguments for SAM CLI, which override ours. */
  args: string[];
  /** Gets each line that SAM CLI writes, including its functions' logs. */
  log(line: string): void;
}

/** Rejects with one line for people if SAM CLI is missing. */
export async function findSam(): Promise<void> {
  await promisify(execFile)('sam', ['--version']).catch(() => {
    throw new Error(
      `There is no SAM CLI: get it from ${installation} (or "pip install aws-sam-cli").`,
    );
  });
}

/** The time that SAM CLI has to end. While it waits for a debugger, Ctrl-C only ends a request. */
const stopTimeoutMs = 5000;

export interface Sam {
  /** Its base URL, without a stage, once it answers. Rejects if SAM CLI ends before that. */
  ready: Promise<string>;
  /** Settles when SAM CLI has ended, for any reason. */
  ended: Promise<void>;
  /** Ends SAM CLI and removes its containers. */
  stop(): Promise<void>;
}

/** Starts `sam local start-api`. A function's container starts at its first request and is kept. */
export function startSam({ template, port, environment, args, log }: SamOptions): Sam {
  const variables = join(dirname(template), 'env-vars.json');
  writeFileSync(variables, JSON.stringify({ Parameters: environment }));
  // EAGER sometimes loses a container. A debugger could not attach to it.
  const settings = { template, port, 'env-vars': variables, 'warm-containers': 'LAZY' };
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  const child = spawn(
    'sam',
    ['local', 'start-api', ...options, ...args],
    // Use a separate process group. Otherwise Ctrl-C reaches SAM CLI twice and stops its cleanup.
    { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: withoutAws(process.env) },
  );
  const containers = new Set<string>();
  const ready = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      const [, container] = /SAM_CONTAINER_ID: (\w+)/.exec(line) ?? [];
      if (container) {
        containers.add(container);
      }
      const [, url] = /\* Running on (https?:\/\/\S+)/.exec(line) ?? [];
      if (url) {
        ready.resolve(url);
      }
      log(line);
    });
  }
  const ended = once(child, 'close').then(() => removeContainers(containers));
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  function interrupt(): void {
    if (isRunning()) {
      child.kill('SIGINT');
    }
  }
  function killAll(): void {
    if (isRunning() && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGKILL');
    }
  }
  // If this process ends without a call of `stop`, SAM CLI still cleans up.
  process.once('exit', interrupt);

  async function stop(): Promise<void> {
    // SAM CLI ignores SIGTERM once it has started a debugger, but not SIGINT.
    interrupt();
    const timer = setTimeout(killAll, stopTimeoutMs);
    await ended;
    clearTimeout(timer);
  }

  const early = ended.then(() => {
    const status = child.exitCode ?? child.signalCode;
    throw new Error(`SAM CLI ended before it was ready (${status}). Its lines above say why.`);
  });
  return { ready: Promise.race([ready.promise, early]), ended, stop };
}

/** Leaves out the developer's credentials: SAM CLI would call AWS with them and pass them on. */
const withoutAws = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !/^AWS_/.test(name))),
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
});
