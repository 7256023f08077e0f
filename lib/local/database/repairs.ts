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
    rejectUnreadable(request, response);
    // If a client disconnects before the end of a request, dynalite's listener throws, which would
    // stop the process.
    request.removeAllListeners('error').on('error', () => {});
  });
  // After a pause of this process, the functions would use a connection that Node closes at that
  // moment, and no write could tell whether it arrived.
  server.keepAliveTimeout = 0;
  return server;
}

/**
 * Returns 400, as DynamoDB does, for a body that dynalite cannot read, like `null`. Its listener of
 * the request's end throws, which would stop the process.
 */
function rejectUnreadable(request: IncomingMessage, response: ServerResponse): void {
  const handle = request.listeners('end').at(-1) as () => void;
  request.removeListener('end', handle).on('end', () => {
    try {
      handle();
    } catch (error) {
      console.error(`The database rejected a malformed request: ${(error as Error).message}`);
      response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"com.amazon.coral.service#SerializationException"}');
    }
  });
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
