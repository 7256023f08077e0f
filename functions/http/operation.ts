import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { timeouts } from '../shared/timeouts.ts';
import { answer, type Reply } from './answer.ts';
import { type InputOf, type InputSchema, readInput } from './input.ts';

export interface Caller {
  /** The owner of the access token, as the authorizer says. */
  owner: string;
  /** The path of the request, with the stage or what a custom domain maps to it. */
  requestPath: string;
  /** Aborts on timeout, because Lambda would freeze the work and resume it in a later request. */
  signal: AbortSignal;
}

export type OperationHandler = middy.MiddyfiedHandler<APIGatewayProxyEvent>;

/** What an operation does with its input, which its fields have read. */
export type Run<S extends InputSchema> = (input: InputOf<S>, caller: Caller) => Promise<Reply>;

/**
 * Returns a Lambda handler for one operation behind a REST API's proxy integration. It reads the
 * event as the operation's input, and answers every error with a problem.
 */
export function operation<S extends InputSchema>(schema: S, run: Run<S>): OperationHandler {
  return middy<APIGatewayProxyEvent>({
    timeoutEarlyInMillis: timeouts.function - timeouts.operation,
  })
    .use(answer())
    .handler((event: APIGatewayProxyEvent, _context, { signal }) =>
      run(readInput(schema, event), callerOf(event, signal)),
    );
}

/**
 * Throws if the event has no owner, which means that no authorizer accepted it, or no path, which
 * `Location` and `Link` need.
 */
function callerOf({ requestContext }: APIGatewayProxyEvent, signal: AbortSignal): Caller {
  const owner: unknown = requestContext.authorizer?.owner;
  if (typeof owner !== 'string' || owner === '') {
    throw new Error('The event has no owner.');
  }
  if (typeof requestContext.path !== 'string') {
    throw new Error('The event has no path.');
  }
  return { owner, requestPath: withoutSlashes(requestContext.path), signal };
}

/**
 * Returns a path with one slash at its start and none at its end. The gateway passes additional
 * slashes on. Two at the start would make a reference to another host (RFC 3986, section 4.2).
 */
function withoutSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (path[start] === '/') {
    start += 1;
  }
  while (path[end - 1] === '/') {
    end -= 1;
  }
  return `/${path.slice(start, end)}`;
}
