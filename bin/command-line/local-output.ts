import type { LocalOptions } from './local-options.ts';

export interface Ready {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
}

/** Returns where things are, a token, and three lines to paste. SAM CLI has no reference. */
export function readyText(
  { baseUrl, token, dynamodbEndpoint }: Ready,
  where: string,
  reference?: string,
): string {
  const authorization = `-H 'Authorization: Bearer ${token}'`;
  const json = "-H 'Content-Type: application/json'";
  const [first, log] =
    reference === undefined
      ? ['', 'SAM CLI prints several lines for each request.']
      : [`Reference:   ${reference}\n`, 'Each request follows on a line of its own.'];
  const plant = `'{"id": 1, "name": "Monstera", "tag": "indoor"}'`;
  return `
${first}Plant Store: ${baseUrl}
DynamoDB:    ${dynamodbEndpoint} (${where})
Token:       ${token} (owner demo, 24 hours)

Create, list and delete a plant:

  curl -i ${baseUrl}/plants ${authorization} ${json} -d ${plant}
  curl -i ${baseUrl}/plants ${authorization}
  curl -i -X DELETE ${baseUrl}/plants/1 ${authorization}

Ctrl-C ends it. ${log}
`;
}

/** Prints where things are, for a person or as JSON. */
export function printReady(
  ready: Ready,
  { json, memory, data }: LocalOptions,
  reference?: string,
): void {
  const where = memory ? 'in memory' : `in ${data}`;
  console.log(json ? JSON.stringify(ready) : readyText(ready, where, reference));
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
