import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';

/**
 * Returns texts that give away half a secret. Any run of half its digits contains one of the
 * blocks. Both halves are also there in the encodings of logs, databases and HTTP.
 */
function tracesOf(token: string): string[] {
  const secretAndChecksum = token.slice(17);
  const blocks = [0, 11, 22, 33, 38].map((start) => secretAndChecksum.slice(start, start + 11));
  const halves = [secretAndChecksum.slice(0, 21), secretAndChecksum.slice(21, 43)];
  return [...blocks, ...halves.flatMap(encodingsOf)];
}

function encodingsOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  // A text has three forms in base64, which depend on its offset. Leave out the characters that it
  // shares with its neighbours.
  const base64 = [0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + text)
      .toString('base64')
      .slice(before && 4, -4),
  );
  const base64url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([hex, hex.toUpperCase(), ...base64, ...base64url])];
}

/** Returns each token's id with the text in which half of its secret can be read. */
export function secretsIn(texts: string[], tokens: string[]): string[] {
  // Every trace is within a run of these characters, and most runs come again and again.
  const runs = texts.flatMap((text) => text.match(/[\w+/-]{11,}/g) ?? []);
  const all = [...new Set(runs)].join('\n');
  return tokens.flatMap((token) => {
    const trace = tracesOf(token).find((one) => all.includes(one));
    return trace === undefined
      ? []
      : `${token.slice(4, 16)} in ${texts.find((text) => text.includes(trace))}`;
  });
}

/**
 * Records the answers of the HTTP server of a URL, with their headers. Returns a function that ends
 * the recording and returns them.
 */
export function recordAnswers(url: string): () => string[] {
  const answers: string[] = [];
  const record = (message: unknown) => {
    const { server, response } = message as { server: Server; response: ServerResponse };
    if ((server.address() as AddressInfo | null)?.port !== Number(new URL(url).port)) {
      return;
    }
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
    response.end = (...args: unknown[]) => {
      answers.push(`${JSON.stringify(response.getHeaders())} ${args[0] ?? ''}`);
      return end(...args);
    };
  };
  subscribe('http.server.request.start', record);
  return () => {
    unsubscribe('http.server.request.start', record);
    return answers;
  };
}

/** Returns all items of a table as text, with each byte as a character. */
export async function itemsOf(database: DynamoDBDocumentClient, table: string): Promise<string[]> {
  const texts: string[] = [];
  const plain = (_: string, value: unknown) => {
    if (value instanceof Uint8Array) {
      return Buffer.from(value).toString('latin1');
    }
    return typeof value === 'bigint' ? `${value}` : value;
  };
  for await (const { Items = [] } of paginateScan({ client: database }, { TableName: table })) {
    texts.push(...Items.map((item) => JSON.stringify(item, plain)));
  }
  return texts;
}
