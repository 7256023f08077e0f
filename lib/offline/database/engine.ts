import type { IncomingMessage } from 'node:http';

/** A whole request to a DynamoDB engine, and its whole answer. */
export type DatabaseRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & {
  body: Buffer;
};
export interface DatabaseAnswer {
  status: number;
  headers: Record<string, string | number | string[] | undefined>;
  body: string | Buffer;
}
export type Engine = (request: DatabaseRequest) => Promise<DatabaseAnswer>;
