import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { parse } from 'node:url';
import { ClassicLevel } from 'classic-level';
import type { DatabaseAnswer, Engine } from './engine.ts';

/** Changes what some methods return. */
function change<Result>(methods: object, names: string[], to: (result: Result) => Result): void {
  for (const name of names) {
    const method: (...args: unknown[]) => Result = Reflect.get(methods, name);
    Reflect.set(methods, name, function (this: unknown, ...args: unknown[]) {
      return to(method.apply(this, args));
    });
  }
}

/** Fault: dynalite calls `iterator.return()`, which classic-level lacks. Each query would leak. */
export function closeIterators(): void {
  // The prototype of the engine in memory too.
  const prototype = Object.getPrototypeOf(ClassicLevel.prototype);
  change<{ close(): Promise<void> }>(prototype, ['keys', 'values'], (iterator) =>
    Object.assign(iterator, { return: () => iterator.close() }),
  );
}

/** Fault: dynalite calls `url.parse`, for which Node takes a stack each time until it warns. */
export function dropUrlWarning(): void {
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  parse('');
  process.noDeprecation = noDeprecation;
}

/**
 * Fault: if LevelDB fails, for example because the disk is full, dynalite throws where nothing can
 * catch it. It answers errors that have a status, so they get 500.
 */
export function answerFailures(): void {
  const __type = 'com.amazonaws.dynamodb.v20120810#InternalServerError';
  change<Promise<unknown>>(ClassicLevel.prototype, ['get', 'put', 'del'], (result) =>
    result.catch((error) => {
      throw Object.assign(error, { statusCode: 500, body: { __type, message: error.message } });
    }),
  );
}

/**
 * Fault: if a client goes away in the middle of a request, dynalite throws where nothing can catch
 * it. Takes the request handler off its server, and hands it whole requests only.
 */
export function engineOf(server: Server): Engine {
  const [handle] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  return ({ body, ...head }) => {
    const { promise, resolve } = Promise.withResolvers<DatabaseAnswer>();
    // What dynalite uses of Node's request and response.
    const request = Object.assign(new EventEmitter(), head);
    const headers: DatabaseAnswer['headers'] = {};
    const response = {
      statusCode: 200,
      setHeader(name: string, value: string) {
        headers[name] = value;
      },
      end: (text = '') => resolve({ status: response.statusCode, headers, body: text }),
    };
    handle?.(request as IncomingMessage, response as unknown as ServerResponse);
    request.emit('data', body);
    request.emit('end');
    return promise;
  };
}

const reads = /\.(BatchGet|Describe|Get|List|Query|Scan)/;

/**
 * Fault: LevelDB could lose a write that follows a failed one, because an incomplete record may
 * stand before it in its file. Refuses all writes after one that failed.
 */
export function refuseWritesOnceFailed(
  engine: Engine,
  onFailure: (message: string) => void,
): Engine {
  let failure: DatabaseAnswer | undefined;
  return async (request) => {
    const isWrite = !reads.test(`${request.headers['x-amz-target']}`);
    if (failure && isWrite) return failure;
    const answer = await engine(request);
    if (isWrite && answer.status === 500 && !failure) {
      failure = answer;
      const { message } = JSON.parse(`${answer.body}`);
      onFailure(
        `The database takes no more writes: ${message}. ` +
          'It keeps all that it has acknowledged. Make room on the disk, then start again.',
      );
    }
    return answer;
  };
}
