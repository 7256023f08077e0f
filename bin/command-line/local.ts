import { type Command, InvalidArgumentError } from 'commander';
import { expiresAt, issueToken } from '../../functions/access-tokens/administration.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { exampleId, examplePlant } from './example-plant.ts';
import { defaultDataFolder, defaultPorts } from './running.ts';
import { openTarget } from './target.ts';

// Options, demo token and output of npm start and npm run sam.

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
    .option('--port <n>', 'port of the API', port, defaultPorts.api)
    .option('--dynamodb-port <n>', 'port of the database', port, defaultPorts.dynamodb)
    .option('--data <folder>', 'folder of the database', defaultDataFolder)
    .option('--memory', 'keep data in memory only')
    .option('--json', 'print one line of JSON when ready: baseUrl, token, dynamodbEndpoint');
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new InvalidArgumentError('A port is 0 to 65535; 0 means any free port.');
  }
  return Number(text);
}

/** Issues a token for trying out the API. `label` names the program that issued it. */
export async function demoToken(endpoint: string, label: string): Promise<string> {
  const { database, tables } = await openTarget({ localhost: true, dynamodbEndpoint: endpoint });
  const expires = expiresAt(24 * 60 * 60);
  const input = { owner: 'demo', scopes: allScopes, label, expires };
  const { token } = await issueToken(database, tables.accessTokens, input);
  database.destroy();
  return token;
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
  console.log(`
${reference}Plant Store: ${baseUrl}
DynamoDB:    ${dynamodbEndpoint} (in ${memory ? 'memory' : data})
Token:       ${token} (owner demo, 24 hours)

Create, list and delete a plant:

${curl('')} -H 'Content-Type: application/json' -d '${plant}'
${curl('')}
${curl(`/${exampleId}`, '-X DELETE ')}

Press Ctrl-C to stop. ${log}
`);
}
