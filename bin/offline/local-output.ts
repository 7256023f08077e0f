import { exampleId, examplePlant } from '../command-line/example-plant.ts';
import type { LocalOptions } from './local-options.ts';

export interface Ready {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
  reference?: string;
}

/** Prints where things are, a token, three lines to paste and what requests print; or JSON. */
export function printReady(
  { reference, ...ready }: Ready,
  { json, memory, data }: LocalOptions,
  log: string,
): void {
  const { baseUrl, token, dynamodbEndpoint } = ready;
  const places = Object.entries({
    ...(reference && { Reference: reference }),
    'Plant Store': baseUrl,
    DynamoDB: `${dynamodbEndpoint} (in ${memory ? 'memory' : data})`,
    Token: `${token} (owner demo, 24 hours)`,
  });
  const width = Math.max(...places.map(([label]) => label.length)) + 2;
  const curl = (method: string, path: string) =>
    `  curl -i ${method}${baseUrl}/plants${path} -H 'Authorization: Bearer ${token}'`;
  const members = Object.entries({ id: exampleId, ...examplePlant }).map(
    ([name, value]) => `"${name}": ${JSON.stringify(value)}`,
  );
  const plant = `'{${members.join(', ')}}'`;
  const text = `
${places.map(([label, place]) => `${label}:`.padEnd(width) + place).join('\n')}

Create, list and delete a plant:

${curl('', '')} -H 'Content-Type: application/json' -d ${plant}
${curl('', '')}
${curl('-X DELETE ', `/${exampleId}`)}

Ctrl-C ends it. ${log}
`;
  console.log(json ? JSON.stringify(ready) : text);
}

/** Prints what is in progress if it takes more than a second. */
export async function progress<T>(what: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.error(`${what} …`), 1000);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
