import type { LocalOptions } from './local-options.ts';

export interface Ready {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
}

interface Hints {
  /** What follows of each request. */
  log: string;
  /** The address of the API's reference. */
  reference?: string;
}

/** Returns where things are, a token, and three lines to paste. */
export function readyText(
  { baseUrl, token, dynamodbEndpoint }: Ready,
  where: string,
  { log, reference }: Hints,
): string {
  const authorization = `-H 'Authorization: Bearer ${token}'`;
  const json = "-H 'Content-Type: application/json'";
  const places = Object.entries({
    ...(reference && { Reference: reference }),
    'Plant Store': baseUrl,
    DynamoDB: `${dynamodbEndpoint} (${where})`,
    Token: `${token} (owner demo, 24 hours)`,
  });
  const width = Math.max(...places.map(([label]) => label.length)) + 2;
  const plant = `'{"id": 1, "name": "Monstera", "tag": "indoor"}'`;
  return `
${places.map(([label, place]) => `${label}:`.padEnd(width) + place).join('\n')}

Create, list and delete a plant:

  curl -i ${baseUrl}/plants ${authorization} ${json} -d ${plant}
  curl -i ${baseUrl}/plants ${authorization}
  curl -i -X DELETE ${baseUrl}/plants/1 ${authorization}

Ctrl-C ends it. ${log}
`;
}

/** Prints where things are, for a person or as JSON. */
export function printReady(ready: Ready, { json, memory, data }: LocalOptions, hints: Hints): void {
  const where = memory ? 'in memory' : `in ${data}`;
  console.log(json ? JSON.stringify(ready) : readyText(ready, where, hints));
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
