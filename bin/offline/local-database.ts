import { createServer } from 'node:net';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import {
  type DataFolder,
  FolderInUse,
  openDataFolder,
} from '../../lib/offline/database/data-folder.ts';
import { localDocumentClient } from '../../lib/offline/database/database-client.ts';
import { type Database, startDatabase } from '../../lib/offline/database/embedded-database.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { issueToken } from '../command-line/access-tokens.ts';
import { messageOf } from '../command-line/lifecycle.ts';
import { findRunning, isOwn, withdraw } from '../command-line/running.ts';
import type { LocalOptions } from './local-options.ts';
import { progress } from './local-output.ts';

type More = Omit<Parameters<typeof startDatabase>[0], 'folder' | 'port' | 'onFailure'> & {
  host: string;
};

/**
 * Opens the database where the options say. Rejects before anything slow with one message if
 * another process uses the data folder, or another program the ports.
 */
export function openDatabase(options: LocalOptions, more: More): Promise<Database> {
  const { memory, data, port, dynamodbPort } = options;
  async function open(): Promise<Database> {
    const folder = memory ? undefined : await takeFolder(data);
    try {
      await checkPorts(port, dynamodbPort, more.host);
    } catch (error) {
      await folder?.close();
      throw error;
    }
    const onFailure = (message: string) => console.error(`error: ${message}`);
    return startDatabase({ ...(folder && { folder }), port: dynamodbPort, onFailure, ...more });
  }
  return progress('Opening the database', open());
}

async function takeFolder(data: string): Promise<DataFolder> {
  try {
    const folder = await openDataFolder(data);
    // A process that was killed could not withdraw its announcement.
    withdraw(data);
    return folder;
  } catch (error) {
    const running = error instanceof FolderInUse ? findRunning(data) : undefined;
    if (!running) {
      throw error;
    }
    // Git Bash's kill takes other ids than Windows.
    const canKill = isOwn(running) && process.platform !== 'win32';
    const how = canKill ? `with "kill ${running.processId}"` : 'where it was started';
    throw new Error(
      `An "npm start" with ${data} runs already, at ${running.baseUrl}. Use that one, or end it ` +
        `${how}, or start another beside it with ` +
        '"npm start -- --memory --port 0 --dynamodb-port 0".',
      { cause: error },
    );
  }
}

async function checkPorts(port: number, dynamodbPort: number, dynamodbHost: string): Promise<void> {
  const faults: string[] = [];
  async function canListen(option: string, port: number, host: string): Promise<boolean> {
    const server = createServer();
    try {
      await listen(server, port, host);
      await new Promise((resolve) => server.close(resolve));
      return true;
    } catch (error) {
      faults.push(`${messageOf(error)} Choose another with ${option}.`);
      return false;
    }
  }
  await canListen('--port', port, '127.0.0.1');
  if (await canListen('--dynamodb-host', 0, dynamodbHost)) {
    await canListen('--dynamodb-port', dynamodbPort, dynamodbHost);
  }
  if (faults.length > 0) {
    throw new Error(faults.join(' '));
  }
}

/** Issues a token for trying the plant store out. `label` says which program issued it. */
export async function demoToken(endpoint: string, label: string): Promise<string> {
  const client = localDocumentClient(endpoint);
  const expires = Math.floor(Date.now() / 1000) + 24 * 60 * 60;
  const grant = { owner: 'demo', scopes: allScopes, label, expires };
  const issued = issueToken(client, tableIds.accessTokens, grant);
  return (await issued.finally(() => client.destroy())).token;
}
