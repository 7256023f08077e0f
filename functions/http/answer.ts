import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { environment } from '../contract/environment-variables.ts';
import { commonHeaders, requestIdHeader } from '../contract/headers.ts';
import { problemMediaType, problems } from '../contract/problems.ts';
import { isUnavailable } from '../database.ts';
import { logError, logInfo } from '../log.ts';
import type { Reply } from './operation.ts';
import { Problem } from './problem.ts';

type Answering = middy.MiddlewareObj<
  APIGatewayProxyEvent,
  Reply | APIGatewayProxyResult,
  Error,
  Context,
  { started: number }
>;
type Request = Parameters<NonNullable<Answering['before']>>[0];

/** Turns an operation's reply, or whatever it threw, into the response of a proxy integration, and writes the one log line of the request. */
export function answer(): Answering {
  const shared = commonHeaders(process.env[environment.corsOrigin]);

  const respond = (
    { event }: Request,
    status: number,
    headers: Record<string, string>,
    body = '',
  ): APIGatewayProxyResult => ({
    statusCode: status,
    headers: { ...shared, [requestIdHeader]: event.requestContext.requestId, ...headers },
    body,
  });

  const facts = (request: Request, status: number) => ({
    requestId: request.event.requestContext.requestId,
    owner: request.event.requestContext.authorizer?.owner,
    status,
    durationMs: Math.round(performance.now() - request.internal.started),
  });

  return {
    before: (request) => {
      request.internal.started = performance.now();
    },
    after: (request) => {
      const { code, status, headers = {}, body } = request.response as Reply;
      request.response =
        body === undefined
          ? respond(request, status, headers)
          : respond(
              request,
              status,
              { 'Content-Type': 'application/json', ...headers },
              JSON.stringify(body),
            );
      logInfo(code, facts(request, status));
    },
    onError: (request) => {
      const { error } = request;
      const problem =
        error instanceof Problem
          ? error
          : new Problem(isUnavailable(error) ? 'unavailable' : 'internal-error');
      const { status, headers } = problems[problem.code];
      request.response = respond(
        request,
        status,
        { 'Content-Type': problemMediaType, ...headers },
        problem.toJson(request.event.requestContext.requestId),
      );
      if (problem === error)
        logInfo('REQUEST_REFUSED', { ...facts(request, status), problem: problem.code });
      else
        logError(
          problem.code === 'unavailable' ? 'DATABASE_UNAVAILABLE' : 'REQUEST_FAILED',
          facts(request, status),
          error,
        );
    },
  };
}
