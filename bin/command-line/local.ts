import { type Command, InvalidArgumentError } from 'commander';
import { issueToken } from '../../functions/access-tokens/administration.ts';
import { documentClient } from '../../functions/dynamodb/client.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { localClient } from '../../lib/offline/database-client.ts';
import { exampleId, examplePlant } from './example-plant.ts';
import { defaultDataFolder, defaultPorts } from './running.ts';

// What npm start and npm run sam share.

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
    .option('--port <n>', 'of the API', port, defaultPorts.api)
    .option('--dynamodb-port <n>', 'of the database', port, defaultPorts.dynamodb)
    .option('--data <folder>', 'where the database keeps its data', defaultDataFolder)
    .option('--memory', 'keep nothing')
    .option('--json', 'when ready, print one line of JSON: baseUrl, token, dynamodbEndpoint');
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new InvalidArgumentError('A port is 0 to 65535; 0 is any free one.');
  }
  return Number(text);
}

/** Issues a token for trying the plant store out. `label` says which program issued it. */
export async function demoToken(endpoint: string, label: string): Promise<string> {
  const client = documentClient(localClient(endpoint));
  const expires = Math.floor(Date.now() / 1000) + 24 * 60 * 60;
  const grant = { owner: 'demo', scopes: allScopes, label, expires };
  const { token } = await issueToken(client, tableIds.accessTokens, grant);
  client.destroy();
  return token;
}

/** Prints where things are, a token, three lines to paste and what follows; or JSON. */
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

Ctrl-C ends it. ${log}
`);
}
