import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { connect } from '../../functions/dynamodb/client.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { resolvePath } from '../command-line/paths.ts';
import { refuseOptionsAsValues, refuseOptionsOfNpm } from '../command-line/refused-arguments.ts';
import { exampleId, examplePlant } from '../openapi/example-plant.ts';
import { deleteToken, issueToken, type ListedToken, listTokens } from '../tokens/tokens.ts';
import {
  type Database,
  explainFileError,
  FolderInUseError,
  startDatabase,
} from './database/database.ts';
import { makeLocalConfig } from './database/database-client.ts';
import { defaultDataFolder, defaultPorts, findRunning } from './running.ts';

// Options, database, demo token and output of npm start and npm run sam.

export interface LocalOptions {
  port: number;
  dynamodbPort: number;
  data: string;
  memory?: true;
  json?: true;
}

export interface Ready {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
}

export function addLocalOptions(program: Command): Command {
  return program
    .option('--port <n>', 'port of the API', parsePort, defaultPorts.api)
    .option('--dynamodb-port <n>', 'port of the database', parsePort, defaultPorts.dynamodb)
    .option('--data <folder>', 'folder of the database', parseFolder, defaultDataFolder)
    .addOption(new Option('--memory', 'keep data in memory only').conflicts('data'))
    .option('--json', 'print one line of JSON when ready: baseUrl, token, dynamodbEndpoint');
}

/** Parses the arguments of this process, and rejects those that cannot be meant. */
export function parseArguments(program: Command): Command {
  refuseOptionsAsValues([program]);
  refuseOptionsOfNpm(program);
  return program.parse();
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new InvalidArgumentError('A port is 0 to 65535; 0 means any free port.');
  }
  return Number(text);
}

function parseFolder(text: string): string {
  if (text === '') {
    throw new InvalidArgumentError('Name a folder, or keep data in memory only with --memory.');
  }
  return resolvePath(text);
}

/**
 * Starts the database that the options choose, on an address of this machine. Rejects with one line
 * for people. Later, an error of its files stops the process with one line.
 */
export async function openDatabase(
  { data, memory, dynamodbPort: port }: LocalOptions,
  host: string,
): Promise<Database> {
  process.once('uncaughtException', (error) => {
    const fileError = explainFileError(data, error);
    console.error(fileError ? `error: ${fileError.message}` : error);
    process.exit(1);
  });
  try {
    return await startDatabase({ folder: memory ? undefined : data, port, host });
  } catch (error) {
    const others = error instanceof FolderInUseError ? await findRunning() : [];
    const running = others.find((other) => other.data === resolve(data));
    throw running
      ? new FolderInUseError(
          data,
          `process ${running.processId}, the "npm start" at ${running.baseUrl}`,
        )
      : error;
  }
}

const demoOwner = 'demo';
const demoLabels = ['npm start', 'npm run sam'] as const;

/**
 * Issues a token for trying out the API, and deletes those of former starts that have expired.
 * `label` names the program that issues it.
 */
export async function issueDemoToken(
  endpoint: string,
  label: (typeof demoLabels)[number],
): Promise<string> {
  const database = connect(makeLocalConfig(endpoint));
  const table = tableIds.accessTokens;
  for (const token of await listTokens(database, table, demoOwner)) {
    if (isExpiredDemo(token)) {
      await deleteToken(database, table, token.id);
    }
  }
  const input = { owner: demoOwner, scopes: allScopes, label, lifetime: 24 * 60 * 60 };
  const { token } = await issueToken(database, table, input);
  database.destroy();
  return token;
}

/** Returns whether a token is from `issueDemoToken`, and has expired, so that nobody uses it. */
function isExpiredDemo({ label, status }: ListedToken): boolean {
  const labels: readonly (string | undefined)[] = demoLabels;
  return labels.includes(label) && status === 'expired';
}

/** Prints addresses, a token, three commands to paste and `log`, or one line of JSON. */
export function printReady(
  ready: Ready,
  { json, memory, data }: LocalOptions,
  log: string,
  referenceUrl?: string,
): void {
  if (json) {
    console.log(JSON.stringify(ready));
    return;
  }
  const { baseUrl, token, dynamodbEndpoint } = ready;
  const curl = (path: string, more = ''): string =>
    `  curl -i ${more}${baseUrl}/plants${path} -H 'Authorization: Bearer ${token}'`;
  const plant = JSON.stringify({ id: exampleId, ...examplePlant });
  const reference = referenceUrl === undefined ? '' : `Reference:   ${referenceUrl}\n`;
  // Other shells of Windows break the quotes.
  const shell = process.platform === 'win32' ? ' in Git Bash' : '';
  console.log(`
${reference}Plant Store: ${baseUrl}
DynamoDB:    ${dynamodbEndpoint} (in ${memory ? 'memory' : data})
Token:       ${token} (owner demo, 24 hours)

Create, list and delete a plant${shell}:

${curl('')} -H 'Content-Type: application/json' -d '${plant}'
${curl('')}
${curl(`/${exampleId}`, '-X DELETE ')}

Press Ctrl-C to stop. ${log}
`);
}
