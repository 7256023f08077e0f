import { defaultEndpoint } from '../command-line/default-ports.ts';
import { exampleId, examplePlant } from '../openapi/example-plant.ts';
import { demo } from './demo-token.ts';
import type { LocalOptions } from './options.ts';

export interface Ready {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
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
  const referenceLine = referenceUrl === undefined ? '' : `Reference:   ${referenceUrl}\n`;
  // Other shells of Windows break the quotes.
  const shell = process.platform === 'win32' ? ' in Git Bash' : '';
  // The other programs find only the default endpoint by themselves.
  const isDefault = dynamodbEndpoint === defaultEndpoint;
  const database = isDefault ? dynamodbEndpoint : `--dynamodb-endpoint ${dynamodbEndpoint}`;
  const warning = isDefault ? '' : '; --localhost is not this store';
  console.log(`
${referenceLine}Plant Store: ${baseUrl}
DynamoDB:    ${database} (in ${memory ? 'memory' : data}${warning})
Token:       ${token} (owner ${demo.owner}, ${demo.hours} hours)

Create, list and delete a plant${shell}:

${curl('')} -H 'Content-Type: application/json' -d '${plant}'
${curl('')}
${curl(`/${exampleId}`, '-X DELETE ')}

Press Ctrl-C to stop. ${log}
`);
}
