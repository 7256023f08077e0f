import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { ClassicLevel } from 'classic-level';
import { isRead } from '../../../functions/shared/dynamodb.ts';
import type { DatabaseAnswer, DatabaseRequest, Engine } from './engine.ts';

const internalError = 'com.amazonaws.dynamodb.v20120810#InternalServerError';

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

/**
 * Fault: if LevelDB fails, for example because the disk is full, dynalite throws where nothing can
 * catch it. It answers errors that have a status, so they get 500.
 */
export function answerFailures(): void {
  const names = ['get', 'put', 'del', 'batch'];
  change<Promise<unknown>>(ClassicLevel.prototype, names, (result) =>
    result.catch((error) => {
      throw Object.assign(error, {
        statusCode: 500,
        body: { __type: internalError, message: error.message },
      });
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

/** Returns the name of a request's command, like `PutItem`. */
const commandOf = ({ headers }: DatabaseRequest): string =>
  `${headers['x-amz-target']}`.replace(/^.*\./, '');

const unfinished = ['CREATING', 'DELETING', 'UPDATING'];
const maxFinishMs = 10_000;

/**
 * Fault: dynalite answers before it has made or removed a table, so that a stop would not wait for
 * it. Answers once the table is finished, or with an error if that takes too long.
 */
export function answerOnceFinished(engine: Engine): Engine {
  async function isUnfinished(request: DatabaseRequest): Promise<boolean> {
    const { TableName } = JSON.parse(`${request.body}`);
    const { status, body } = await engine({
      ...request,
      headers: { ...request.headers, 'x-amz-target': 'DynamoDB_20120810.DescribeTable' },
      body: Buffer.from(JSON.stringify({ TableName })),
    });
    return status === 200 && unfinished.includes(JSON.parse(`${body}`).Table.TableStatus);
  }
  return async (request) => {
    const answer = await engine(request);
    if (answer.status !== 200 || !/^(Create|Delete|Update)Table$/.test(commandOf(request))) {
      return answer;
    }
    const startedAt = performance.now();
    while (await isUnfinished(request)) {
      if (performance.now() - startedAt > maxFinishMs) {
        const body = { __type: internalError, message: 'a table could not be finished' };
        return { ...answer, status: 500, body: JSON.stringify(body) };
      }
      await setTimeout(1);
    }
    return answer;
  };
}

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
    const isWrite = !isRead(commandOf(request));
    if (failure && isWrite) {
      return failure;
    }
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
