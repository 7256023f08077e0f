import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { isUnavailable } from '../dynamodb/client.ts';
import { type LogFields, logError, logInfo } from '../log.ts';
import { environment } from '../shared/environment-variables.ts';
import { commonHeaders, requestIdHeader } from '../shared/headers.ts';
import type { SuccessCode } from '../shared/log-codes.ts';
import { problemMediaType, problems } from '../shared/problems.ts';
import { timeouts } from '../shared/timeouts.ts';
import { type Input, type InputSchemas, readInput } from './input.ts';
import { Problem } from './problem.ts';

/** What an operation knows of its request beside the input. */
export interface RequestContext {
  /** The owner of the access token, as the authorizer says. */
  owner: string;
  /** The path of the request, with the stage or what a custom domain maps to it. */
  requestPath: string;
  /** Aborts on timeout, because Lambda would freeze the work and resume it in a later request. */
  abortSignal: AbortSignal;
}

/** What an operation replies, and the code for the log. Without a body there is no content type. */
export interface Reply {
  code: SuccessCode;
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export type OperationHandler = middy.MiddyfiedHandler<APIGatewayProxyEvent>;

type Request = middy.Request<
  APIGatewayProxyEvent,
  Reply | APIGatewayProxyResult,
  Error,
  Context,
  { started: number }
>;

/**
 * Returns a Lambda handler for one operation behind a REST API's proxy integration. It reads the
 * event as the operation's input, answers every error with a problem, and writes one log line.
 */
export function operation<S extends InputSchemas>(
  schemas: S,
  run: (input: Input<S>, context: RequestContext) => Promise<Reply>,
): OperationHandler {
  return middy<APIGatewayProxyEvent>({
    timeoutEarlyInMillis: timeouts.function - timeouts.operation,
  })
    .use({ before: startClock, after: answerReply, onError: answerError })
    .handler((event: APIGatewayProxyEvent, _context, { signal }) =>
      run(readInput(schemas, event), contextOf(event, signal)),
    );
}

function startClock({ internal }: Request): void {
  // Not performance.now(), which would load perf_hooks.
  internal.started = Date.now();
}

function answerReply(request: Request): void {
  const { code, status, headers, body } = request.response as Reply;
  const contentType = body !== undefined && { 'Content-Type': 'application/json' };
  const fields = respond(request, status, { ...contentType, ...headers }, JSON.stringify(body));
  logInfo(code, fields);
}

function answerError(request: Request): void {
  const { error, event } = request;
  const problem = problemOf(error);
  const { status, headers } = problems[problem.code];
  const sent = { 'Content-Type': problemMediaType, ...headers };
  const fields = respond(request, status, sent, problem.toJson(requestIdOf(event)));
  if (problem === error) {
    logInfo('REQUEST_REFUSED', { ...fields, problem: problem.code });
  } else {
    logError(status === 503 ? 'DATABASE_UNAVAILABLE' : 'REQUEST_FAILED', fields, error);
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  return new Problem(isUnavailable(error) ? 'unavailable' : 'internal-error');
}

/** Sets the response. Returns the fields of its log line. */
function respond(
  request: Request,
  status: number,
  headers: Record<string, string>,
  body = '',
): LogFields {
  const { event, internal } = request;
  const requestId = requestIdOf(event);
  request.response = {
    statusCode: status,
    headers: {
      ...commonHeaders(process.env[environment.corsOrigin]),
      [requestIdHeader]: requestId,
      ...headers,
    },
    body,
  };
  const { owner } = event.requestContext.authorizer ?? {};
  return { requestId, owner, status, durationMs: Date.now() - internal.started };
}

/** A client can choose `requestId`. Only `sam local`, which sends no other, needs it. */
function requestIdOf({ requestContext }: APIGatewayProxyEvent): string {
  const id: unknown = requestContext.extendedRequestId ?? requestContext.requestId;
  return typeof id === 'string' ? id : '';
}

/** Throws if the event has no owner, which means that no authorizer accepted it. */
function contextOf(
  { requestContext }: APIGatewayProxyEvent,
  abortSignal: AbortSignal,
): RequestContext {
  const owner: unknown = requestContext.authorizer?.owner;
  if (typeof owner !== 'string' || owner === '') {
    throw new Error('The event has no owner.');
  }
  return { owner, requestPath: withoutSlashes(requestContext.path), abortSignal };
}

/**
 * Returns a path with one slash at its start and none at its end. The gateway passes additional
 * slashes on. Two at the start would make a reference to another host (RFC 3986, section 4.2).
 */
function withoutSlashes(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return `/${segments.join('/')}`;
}
