import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import db from 'dynalite/db/index.js';
import putItem from 'dynalite/validations/putItem.js';

closeIterators();
returnItemsOfFailedPuts();

/** dynalite, a local DynamoDB, with its data in a folder or in memory, and with repairs. */
export function repairedDynalite(path: string | undefined): Server {
  const server = dynalite({ path, createTableMs: 0 });
  const [handle] = server.listeners('request') as [RequestListener];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Any page in the developer's browser could read and write.
    if (request.headers.origin !== undefined) {
      response.writeHead(403).end();
      return;
    }
    handle(request, response);
    catchErrors(request, response);
    // If a client disconnects before the end of a request, dynalite's listener throws, which would
    // stop the process.
    request.removeAllListeners('error').on('error', () => {});
  });
  // After a pause of this process, the functions would use a connection that Node closes at that
  // moment, and no write could tell whether it arrived.
  server.keepAliveTimeout = 0;
  return server;
}

/** The response to the request on which dynalite works. */
const responses = new AsyncLocalStorage<ServerResponse>();

/**
 * Makes an exception of dynalite fail its request. Many malformed requests cause one, at once or in
 * a callback, and it would stop the process.
 */
function catchErrors(request: IncomingMessage, response: ServerResponse): void {
  const handle = request.listeners('end').at(-1) as () => void;
  request.removeListener('end', handle).on('end', () => {
    responses.run(response, () => {
      try {
        handle();
      } catch (error) {
        failRequest(error as Error);
      }
    });
  });
}

/** Fails the request that caused an exception. Returns whether there is one. */
export function failRequest({ message }: Error): boolean {
  const response = responses.getStore();
  if (response === undefined) {
    return false;
  }
  console.error(`The database failed on a request: ${message}`);
  if (!response.headersSent) {
    response.writeHead(500, { 'Content-Type': 'application/x-amz-json-1.0' });
    const __type = 'com.amazonaws.dynamodb.v20120810#InternalServerError';
    response.end(JSON.stringify({ __type, message }));
  }
  return true;
}

/**
 * Makes LevelDB's iterators close. dynalite calls `iterator.return()`, which they lack. The memory
 * of each query would never be freed. The database in memory has the same prototype.
 */
function closeIterators(): void {
  const prototype = Object.getPrototypeOf(ClassicLevel.prototype);
  for (const name of ['keys', 'values']) {
    const method = prototype[name];
    prototype[name] = function (...options: unknown[]): unknown {
      const iterator = method.apply(this, options);
      return Object.assign(iterator, { return: () => iterator.close() });
    };
  }
}

/**
 * Makes a put return the item that made its condition fail, if the put asks for it. dynalite drops
 * that parameter of every request.
 */
function returnItemsOfFailedPuts(): void {
  putItem.types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] };
  const { checkConditional } = db;
  db.checkConditional = (request, storedItem) => {
    const error = checkConditional(request, storedItem);
    if (error && request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD') {
      error.body.Item = storedItem;
    }
    return error;
  };
}
