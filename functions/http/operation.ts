import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { isUnavailable, Unavailable } from '../dynamodb/errors.ts';
import { type LogFields, logError, logInfo } from '../log.ts';
import { environment } from '../shared/environment-variables.ts';
import { commonHeaders, requestIdHeader, tokenEndHeader } from '../shared/headers.ts';
import type { SuccessCode } from '../shared/log-codes.ts';
import { problemMediaType, problems } from '../shared/problems.ts';
import { timeouts } from '../shared/timeouts.ts';
import { type Input, type InputSchemas, parseInput } from './input.ts';
import { Problem } from './problem.ts';

/** The request data of an operation, besides its validated input. */
export interface RequestContext {
  /** The owner of the access token, from the authorizer. */
  owner: string;
  /** The path of the request, with the stage or the mapping of a custom domain. */
  requestPath: string;
  /** Aborts on timeout, because Lambda would freeze the work and resume it in a later request. */
  abortSignal: AbortSignal;
}

/** The response of an operation that succeeded, and the code of its log line. */
export interface Reply {
  code: SuccessCode;
  status: number;
  headers?: Record<string, string>;
  /** JSON. A response without a body has no content type. */
  body?: unknown;
}

export type OperationHandler = middy.MiddyfiedHandler<APIGatewayProxyEvent>;

type MiddyRequest = middy.Request<
  APIGatewayProxyEvent,
  Reply | APIGatewayProxyResult,
  Error,
  Context,
  { started: number }
>;

/**
 * Returns a Lambda handler for an operation behind a REST API's proxy integration. It validates the
 * input, turns every error into a problem response, and writes one log line.
 */
export function operation<S extends InputSchemas>(
  schemas: S,
  execute: (input: Input<S>, context: RequestContext) => Promise<Reply>,
): OperationHandler {
  return middy<APIGatewayProxyEvent>({
    timeoutEarlyInMillis: timeouts.function - timeouts.operation,
    timeoutEarlyResponse: rejectLate,
  })
    .use({ before: startClock, after: respond, onError: respondToError })
    .handler(async (event: APIGatewayProxyEvent, _context, { signal }) => {
      try {
        return await execute(parseInput(schemas, event), parseContext(event, signal));
      } catch (error) {
        throw signal.aborted ? makeTimeoutError(error) : error;
      }
    });
}

/** Rejects after a turn of the event loop, so that the command that was aborted rejects first. */
async function rejectLate(): Promise<never> {
  await new Promise((resolve) => setImmediate(resolve));
  throw makeTimeoutError();
}

/** A throttled database is slow too, so the same call may succeed later. */
const makeTimeoutError = (cause?: unknown): Error =>
  new Unavailable(`The operation did not end within ${timeouts.operation / 1000} s.`, { cause });

function startClock({ internal }: MiddyRequest): void {
  // Not performance.now(), which would load perf_hooks.
  internal.started = Date.now();
}

function respond(request: MiddyRequest): void {
  const { event, internal } = request;
  const reply = request.response as Reply;
  request.response = toResult(event, reply);
  logInfo(reply.code, makeLogFields(event, reply.status, internal.started));
}

function respondToError(request: MiddyRequest): void {
  const { event, error, internal } = request;
  const problem = toProblem(error);
  const { status, headers } = problems[problem.code];
  request.response = toResult(event, {
    status,
    headers: { 'Content-Type': problemMediaType, ...headers },
    body: problem.toJson(getRequestId(event)),
  });
  const fields = makeLogFields(event, status, internal.started);
  if (problem === error) {
    logInfo('REQUEST_REFUSED', { ...fields, problem: problem.code });
  } else {
    logError(status === 503 ? 'DATABASE_UNAVAILABLE' : 'REQUEST_FAILED', fields, error);
  }
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  return new Problem(isUnavailable(error) ? 'unavailable' : 'internal-error');
}

function toResult(
  event: APIGatewayProxyEvent,
  { status, headers, body }: Omit<Reply, 'code'>,
): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: {
      ...commonHeaders(process.env[environment.corsOrigin]),
      [requestIdHeader]: getRequestId(event),
      ...makeTokenEndHeader(event),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? '' : JSON.stringify(body),
  };
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The gateway may have cached a policy of version 1.0.0, which has no such time. */
function makeTokenEndHeader({ requestContext }: APIGatewayProxyEvent): Record<string, string> {
  const expires: unknown = requestContext.authorizer?.expires;
  return typeof expires === 'string' && timeForm.test(expires) ? { [tokenEndHeader]: expires } : {};
}

function makeLogFields(event: APIGatewayProxyEvent, status: number, started: number): LogFields {
  const { owner } = event.requestContext.authorizer ?? {};
  return { requestId: getRequestId(event), owner, status, durationMs: Date.now() - started };
}

/** A client can choose `requestId`. It is only for `sam local`, which sends no other. */
function getRequestId({ requestContext }: APIGatewayProxyEvent): string {
  const id: unknown = requestContext.extendedRequestId ?? requestContext.requestId;
  return typeof id === 'string' ? id : '';
}

/** Throws if the event has no owner, because then no authorizer accepted it. */
function parseContext(
  { requestContext }: APIGatewayProxyEvent,
  abortSignal: AbortSignal,
): RequestContext {
  const owner: unknown = requestContext.authorizer?.owner;
  if (typeof owner !== 'string' || owner === '') {
    throw new Error('The event has no owner.');
  }
  return { owner, requestPath: trimSlashes(requestContext.path), abortSignal };
}

/**
 * Returns a path with one slash at its start and none at its end. The gateway passes additional
 * slashes on. Two at the start would refer to another host (RFC 3986, section 4.2).
 */
function trimSlashes(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return `/${segments.join('/')}`;
}
