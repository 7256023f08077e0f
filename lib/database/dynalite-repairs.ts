import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { ClassicLevel } from 'classic-level';
import type { DatabaseAnswer, Engine } from './engine.ts';

type Iterate = (this: unknown, options: unknown) => { close(): Promise<void> };

/** Fault: dynalite calls `iterator.return()`, which classic-level lacks. Each query would leak. */
export function closeIterators(): void {
  // The prototype of the engine in memory too.
  const methods: Record<string, Iterate> = Object.getPrototypeOf(ClassicLevel.prototype);
  for (const name of ['keys', 'values']) {
    const method = methods[name] as Iterate;
    methods[name] = function (options) {
      const iterator = method.call(this, options);
      return Object.assign(iterator, { return: () => iterator.close() });
    };
  }
}

type Method = (this: unknown, ...args: unknown[]) => Promise<unknown>;

/**
 * Fault: if LevelDB fails, for example because the disk is full, dynalite throws where nothing can
 * catch it. It answers errors that have a status, so they get 500.
 */
export function answerFailures(): void {
  const methods = ClassicLevel.prototype as unknown as Record<string, Method>;
  for (const name of ['get', 'put', 'del']) {
    const method = methods[name] as Method;
    methods[name] = function (...args) {
      return method.apply(this, args).catch((error) => {
        const __type = 'com.amazonaws.dynamodb.v20120810#InternalServerError';
        const body = { __type, message: error.message };
        throw Object.assign(error, { statusCode: 500, body });
      });
    };
  }
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
