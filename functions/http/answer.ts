import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { isUnavailable } from '../dynamodb/client.ts';
import { type LogFields, logError, logInfo } from '../log.ts';
import { environment } from '../shared/environment-variables.ts';
import { commonHeaders, requestIdHeader } from '../shared/headers.ts';
import type { SuccessCode } from '../shared/log-codes.ts';
import { problemMediaType, problems } from '../shared/problems.ts';
import { Problem } from './problem.ts';

/** What an operation replies, and the code for the log. Without a body there is no content type. */
export interface Reply {
  code: SuccessCode;
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

type Answering = middy.MiddlewareObj<
  APIGatewayProxyEvent,
  Reply | APIGatewayProxyResult,
  Error,
  Context,
  { started: number }
>;
type Request = Parameters<NonNullable<Answering['before']>>[0];

/**
 * Turns an operation's reply, or the error that it threw, into the response of a proxy integration,
 * and writes the log line of the request.
 */
export function answer(): Answering {
  const shared = commonHeaders(process.env[environment.corsOrigin]);

  /** Sets the response. Returns the fields of its log line. */
  function respond(
    request: Request,
    status: number,
    headers: Record<string, string>,
    body: string | undefined = '',
  ): LogFields {
    const { event, internal } = request;
    const requestId = requestIdOf(event);
    const all = { ...shared, [requestIdHeader]: requestId, ...headers };
    request.response = { statusCode: status, headers: all, body };
    const { owner } = event.requestContext.authorizer ?? {};
    return { requestId, owner, status, durationMs: Date.now() - internal.started };
  }

  return {
    before: ({ internal }) => {
      // Not performance.now(), which would load perf_hooks.
      internal.started = Date.now();
    },
    after: (request) => {
      const { code, status, headers, body } = request.response as Reply;
      const type = body !== undefined && { 'Content-Type': 'application/json' };
      logInfo(code, respond(request, status, { ...type, ...headers }, JSON.stringify(body)));
    },
    onError: (request) => {
      const { error, event } = request;
      const problem =
        error instanceof Problem
          ? error
          : new Problem(isUnavailable(error) ? 'unavailable' : 'internal-error');
      const { status, headers } = problems[problem.code];
      const sent = { 'Content-Type': problemMediaType, ...headers };
      const fields = respond(request, status, sent, problem.toJson(requestIdOf(event)));
      if (problem === error) {
        logInfo('REQUEST_REFUSED', { ...fields, problem: problem.code });
      } else {
        logError(status === 503 ? 'DATABASE_UNAVAILABLE' : 'REQUEST_FAILED', fields, error);
      }
    },
  };
}

/** A client can choose `requestId`. Only `sam local`, which sends no other, needs it. */
function requestIdOf({ requestContext }: APIGatewayProxyEvent): string {
  const id: unknown = requestContext.extendedRequestId ?? requestContext.requestId;
  return typeof id === 'string' ? id : '';
}
