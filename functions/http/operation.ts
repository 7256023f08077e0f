import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as v from 'valibot';
import type { LogCode } from '../contract/log-codes.ts';
import { answer } from './answer.ts';
import { type InputSchema, readInput } from './input.ts';

/** What an operation answers, and the code that tells of it in the log. Without a body there is no content type either. */
export interface Reply {
  code: LogCode;
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Caller {
  /** Who calls, by the authorizer's word. */
  owner: string;
  /** The path that the request came in on, stage or custom domain included. */
  requestPath: string;
  /** Aborted once the caller has been told that time ran out: Lambda freezes what goes on then, and another request would thaw it. */
  signal: AbortSignal;
}

/** Time kept back of the function's ten seconds: whatever the database does, the caller gets an answer of ours, and within five. */
const reserveMs = 5000;

/**
 * A Lambda handler for one operation behind a REST API's proxy integration: its event becomes validated input, the input a reply.
 * Whatever goes wrong becomes a problem of the contract.
 */
export function operation<S extends InputSchema>(
  schema: S,
  run: (input: v.InferOutput<S>, caller: Caller) => Promise<Reply>,
) {
  return middy<APIGatewayProxyEvent>({ timeoutEarlyInMillis: reserveMs })
    .use(answer())
    .use(httpHeaderNormalizer())
    .handler((event: APIGatewayProxyEvent, _context, { signal }) =>
      run(readInput(schema, event), callerOf(event, signal)),
    );
}

/** Throws for an event that no authorizer has let pass: without an owner nothing is anybody's. */
function callerOf({ requestContext }: APIGatewayProxyEvent, signal: AbortSignal): Caller {
  const owner: unknown = requestContext.authorizer?.owner;
  if (typeof owner !== 'string' || owner === '') throw new Error('The event carries no owner.');
  // The gateway keeps the slashes that it routes past. Two at the start would make a reference to another host (RFC 3986, 4.2).
  return {
    owner,
    requestPath: requestContext.path.replace(/^\/*/, '/').replace(/\/+$/, ''),
    signal,
  };
}
