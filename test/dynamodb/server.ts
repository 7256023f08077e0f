import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach } from '@jest/globals';
import { connect } from '../../functions/dynamodb/client.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { listen } from '../../lib/local/listen.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { certificateFiles } from '../support/certificate.ts';
import { finallyDo } from '../support/cleanup.ts';

// The functions' client sends its commands over TLS, as on AWS. A connection carries many of them.

export const TableName = tableIds.plants;

type Respond = (request: IncomingMessage, response: ServerResponse) => unknown;
let respond: Respond = (_, response) => response.end('{}');
/** Handles the requests from now on. */
export function respondBy(next: Respond): void {
  respond = next;
}

export const connections: Socket[] = [];
const cert = readFileSync(certificateFiles.certificate, 'utf8');
const tls = { key: readFileSync(certificateFiles.key), cert };
const server = createServer(tls, (request, response) => {
  response.setHeader('Content-Type', 'application/x-amz-json-1.0');
  request.resume().on('end', () => respond(request, response));
});
// Below TLS: a reset of these sends no alert before.
server.on('connection', (socket: Socket) => connections.push(socket));
finallyDo(() => server.close().closeAllConnections());

const trusted = getCACertificates('default');
setDefaultCACertificates([cert]);
finallyDo(() => setDefaultCACertificates(trusted));

export const origin = (await listen(server, 0)).replace('http:', 'https:');

/** Returns a client of a database, as functions have it. */
export function connectTo(endpoint: string, ...config: Parameters<typeof connect>) {
  Object.assign(process.env, functionVariables(endpoint));
  const client = connect(...config);
  finallyDo(() => client.destroy());
  return client;
}

/** A new client for each test, because a client limits the retries of all its commands. */
export let database: DynamoDBDocumentClient;
beforeEach(() => {
  database = connectTo(origin);
});
export const put = () => database.send(new PutCommand({ TableName, Item: { id: 1n } }));
export const get = () => database.send(new GetCommand({ TableName, Key: { id: 1n } }));

/** Returns the error of a call whose attempt fails with a fault. */
export function catchError(call: () => Promise<object>, fault: object): Promise<Error> {
  const error = Object.assign(new Error('fault'), fault);
  const failCall = () => () => Promise.reject(error);
  database.middlewareStack.add(failCall, { step: 'deserialize', priority: 'low' });
  return call().then(
    () => new Error('It worked.'),
    (reason: Error) => reason,
  );
}
