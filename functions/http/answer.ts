import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { isUnavailable } from '../dynamodb/client.ts';
import { logError, logInfo } from '../log.ts';
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

  const respond = (
    { event }: Request,
    status: number,
    headers: Record<string, string>,
    body = '',
  ): APIGatewayProxyResult => ({
    statusCode: status,
    headers: { ...shared, [requestIdHeader]: requestIdOf(event), ...headers },
    body,
  });

  const logFields = ({ event, internal }: Request, status: number) => ({
    requestId: requestIdOf(event),
    owner: event.requestContext.authorizer?.owner,
    status,
    durationMs: Date.now() - internal.started,
  });

  return {
    before: (request) => {
      // Not performance.now(), which would load perf_hooks.
      request.internal.started = Date.now();
    },
    after: (request) => {
      const { code, status, headers = {}, body } = request.response as Reply;
      const type = body !== undefined && { 'Content-Type': 'application/json' };
      request.response = respond(request, status, { ...type, ...headers }, JSON.stringify(body));
      logInfo(code, logFields(request, status));
    },
    onError: (request) => {
      const { error, event } = request;
      const problem =
        error instanceof Problem
          ? error
          : new Problem(isUnavailable(error) ? 'unavailable' : 'internal-error');
      const { status, headers } = problems[problem.code];
      request.response = respond(
        request,
        status,
        { 'Content-Type': problemMediaType, ...headers },
        problem.toJson(requestIdOf(event)),
      );
      const fields = logFields(request, status);
      if (problem === error) logInfo('REQUEST_REFUSED', { ...fields, problem: problem.code });
      else
        logError(
          problem.code === 'unavailable' ? 'DATABASE_UNAVAILABLE' : 'REQUEST_FAILED',
          fields,
          error,
        );
    },
  };
}

/** A client can choose `requestId`. Only `sam local`, which sends no other, needs it. */
function requestIdOf({ requestContext }: APIGatewayProxyEvent): string {
  const id: unknown = requestContext.extendedRequestId ?? requestContext.requestId;
  return typeof id === 'string' ? id : '';
}
