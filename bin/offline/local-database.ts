import { createServer } from 'node:net';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../lib/offline/database/database-client.ts';
import { type Database, startDatabase } from '../../lib/offline/database/embedded-database.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { issueToken } from '../administration/access-tokens.ts';
import { messageOf } from '../command-line/lifecycle.ts';
import { findRunning } from '../command-line/running.ts';
import type { LocalOptions } from './local-options.ts';
import { progress } from './local-output.ts';

/**
 * Rejects with one message if another `npm start` uses the data folder, or another program the
 * ports. Call it before anything slow begins.
 */
export async function checkFree(
  { port, dynamodbPort, data, memory }: LocalOptions,
  dynamodbHost: string,
): Promise<void> {
  const running = memory ? undefined : findRunning(data);
  if (running)
    throw new Error(
      `An "npm start" with ${data} runs already, at ${running.baseUrl}. Use that one, or end it ` +
        `with "kill ${running.processId}", or start another beside it with ` +
        '"npm start -- --memory --port 0 --dynamodb-port 0".',
    );
  const faults: string[] = [];
  const tryPort = async (option: string, port: number, host: string) => {
    const server = createServer();
    await listen(server, port, host).catch((error) =>
      faults.push(`${messageOf(error)} Choose another with ${option}.`),
    );
    await new Promise((resolve) => server.close(resolve));
  };
  await tryPort('--port', port, '127.0.0.1');
  await tryPort('--dynamodb-port', dynamodbPort, dynamodbHost);
  if (faults.length > 0) throw new Error(faults.join(' '));
}

type More = Omit<Parameters<typeof startDatabase>[0], 'data' | 'port' | 'onFailure'>;

/** Opens the database where the options say. */
export const openDatabase = (
  { memory, data, dynamodbPort: port }: LocalOptions,
  more: More,
): Promise<Database> => {
  const onFailure = (message: string) => console.error(`error: ${message}`);
  const opening = startDatabase({ ...(!memory && { data }), port, onFailure, ...more });
  return progress('Opening the database', opening);
};

/** Issues a token for trying the plant store out. `label` says which program issued it. */
export async function demoToken(endpoint: string, label: string): Promise<string> {
  const client = localDocumentClient(endpoint);
  const expires = Math.floor(Date.now() / 1000) + 24 * 60 * 60;
  const grant = { owner: 'demo', scopes: allScopes, label, expires };
  const issued = issueToken(client, tableIds.accessTokens, grant);
  return (await issued.finally(() => client.destroy())).token;
}
