import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { APIGatewayProxyResult } from 'aws-lambda';
import {
  type GatewayResponseType,
  gatewayResponses,
} from '../../functions/shared/gateway-responses.ts';
import { commonHeaders, preflight, requestIdHeader } from '../../functions/shared/headers.ts';
import { operations, stageName } from '../../functions/shared/operations.ts';
import { problemMediaType, problemMembers, problems } from '../../functions/shared/problems.ts';
import type { CallFunction } from './functions.ts';
import type { Failure } from './functions-thread.ts';
import { proxyEvent } from './proxy-event.ts';
import { tokenAuthorizer } from './token-authorizer.ts';

// What API Gateway does between a client and a function, as far as a client of this API can tell.

/** A request and how it was answered. */
export interface Answered {
  id: string;
  method: string;
  url: string;
  authorization: string | undefined;
  status: number;
  body: string;
  ms: number;
  /** The lines that the functions logged for it, as JSON. */
  log: string[];
  /** Why no function answered, if that is a fault of ours. */
  failure: Failure | undefined;
}

interface Options {
  call: CallFunction;
  /** The origin whose pages may call, or `*`. Without it CORS is off. */
  corsOrigin?: string | undefined;
  /** How long a policy of the authorizer is kept. */
  cacheSeconds: number;
  onAnswer(answered: Answered): void;
}

export interface Gateway {
  listener: RequestListener;
  /** Forgets the policies of the authorizer, because its code has changed. */
  forgetPolicies(): void;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  failure?: Failure | undefined;
}

const maxBytes = 10 * 1024 * 1024;
const apiArn = 'arn:aws:execute-api:us-east-1:000000000000:Api';

const routes = Object.values(operations).map(({ method, path, entry }) => ({
  method,
  entry,
  resource: `/${path}`,
  parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}`),
  // A slash at the end changes nothing.
  form: new RegExp(`^/${path.replaceAll(/\{\w+\}/g, '([^/]+)')}/?$`),
}));

/** Returns the gateway of the API, which calls the functions. */
export function gateway({ call, corsOrigin, cacheSeconds, onAnswer }: Options): Gateway {
  const authorizer = tokenAuthorizer(call, cacheSeconds);

  /** Answers a request. Rejects only if the answer cannot be reported. */
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const body = await readBody(request);
    if (body === undefined) {
      // The client has gone away.
      return;
    }
    const id = randomUUID();
    const log: string[] = [];
    let answer: Answer;
    try {
      answer = await answerTo(request, body, id, log);
      send(response, answer);
    } catch (error) {
      // A function's result is nonsense, or has headers that cannot be sent.
      answer = gatewayResponse('INTEGRATION_FAILURE', id, error as Failure);
      send(response, answer);
    }
    onAnswer({
      id,
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: authorizationOf(request),
      status: answer.status,
      body: answer.body,
      ms: performance.now() - startedAt,
      log,
      failure: answer.failure,
    });
  }

  /** Returns the answer to a request. Throws if a function's result is nonsense. */
  async function answerTo(
    request: IncomingMessage,
    body: Buffer,
    requestId: string,
    log: string[],
  ): Promise<Answer> {
    if (body.length > maxBytes) {
      return bodyTooLarge;
    }
    const { fullPath, path, query } = targetOf(request);
    const ofPath = path === undefined ? [] : routes.filter(({ form }) => form.test(path));
    if (request.method === 'OPTIONS' && corsOrigin !== undefined && ofPath.length > 0) {
      return preflightAnswer(corsOrigin, requestId);
    }
    const route = ofPath.find(({ method }) => method === request.method);
    if (path === undefined || route === undefined) {
      return gatewayResponse('DEFAULT_4XX', requestId);
    }

    const methodArn = `${apiArn}/${stageName}/${route.method}${path}`;
    const verdict = await authorizer.authorize(authorizationOf(request), methodArn, log);
    if ('refused' in verdict) {
      return gatewayResponse(verdict.refused, requestId, verdict.failure);
    }

    const { principalId, context } = verdict.allowed;
    const [, ...values] = route.form.exec(path) ?? [];
    const event = proxyEvent({
      request,
      requestId,
      fullPath,
      path,
      query,
      resource: route.resource,
      pathParameters: Object.fromEntries(route.parameters.map((name, i) => [name, `${values[i]}`])),
      authorizer: { ...context, principalId },
      body,
    });
    const { payload, failure, log: lines } = await call(route.entry, event);
    log.push(...lines);
    if (failure) {
      return gatewayResponse('INTEGRATION_FAILURE', requestId, failure);
    }
    return answerOf(payload);
  }

  /** Returns the gateway's own answer of a type. */
  function gatewayResponse(type: GatewayResponseType, instance: string, failure?: Failure): Answer {
    const code = gatewayResponses[type];
    const { status, detail, headers } = problems[code];
    return {
      status,
      headers: {
        'Content-Type': problemMediaType,
        ...commonHeaders(corsOrigin),
        [requestIdHeader]: instance,
        ...headers,
      },
      body: JSON.stringify({ ...problemMembers(code), detail, instance }),
      failure,
    };
  }

  return {
    listener: (request, response) => {
      handle(request, response).catch((error) => {
        console.error(error);
        response.destroy();
      });
    },
    forgetPolicies: authorizer.forget,
  };
}

const bodyTooLarge: Answer = {
  status: 413,
  headers: { 'Content-Type': 'text/plain' },
  body: `HTTP content length exceeded ${maxBytes} bytes.`,
};

/** Returns the answer to a browser that asks whether a page may call. */
function preflightAnswer(corsOrigin: string, requestId: string): Answer {
  return {
    status: 204,
    headers: {
      ...commonHeaders(corsOrigin),
      [requestIdHeader]: requestId,
      'Access-Control-Allow-Headers': preflight.allowHeaders.join(','),
      'Access-Control-Allow-Methods': [...new Set(routes.map(({ method }) => method))].join(','),
      'Access-Control-Max-Age': `${preflight.maxAgeSeconds}`,
    },
    body: '',
  };
}

/** Returns the answer that a function's result asks for. Throws if the result is nonsense. */
function answerOf(payload = 'null'): Answer {
  const result: Partial<APIGatewayProxyResult> | null = JSON.parse(payload);
  const { statusCode, headers, body = '' } = result ?? {};
  if (
    statusCode === undefined ||
    !/^[2-5]\d\d$/.test(`${statusCode}`) ||
    typeof body !== 'string'
  ) {
    throw new Error(`The function returned no response of API Gateway: ${payload}`);
  }
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name, `${value}`]);
  return {
    status: Number(statusCode),
    headers: { 'Content-Type': 'application/json', ...Object.fromEntries(named) },
    body,
  };
}

/** Returns the last Authorization header, as API Gateway does. */
function authorizationOf({ headersDistinct }: IncomingMessage): string | undefined {
  return headersDistinct.authorization?.at(-1);
}

interface Target {
  fullPath: string;
  /** Within the stage. It is undefined outside of it. */
  path: string | undefined;
  query: string;
}

/** Returns the parts of a request's target, still percent-encoded. */
function targetOf({ url = '' }: IncomingMessage): Target {
  // A client that takes this server for a proxy sends the whole URL.
  const [fullPath = '', query = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s);
  // Several slashes after the stage are one.
  const [, stage, rest] = /^\/([^/]*)\/*(.*)$/s.exec(fullPath) ?? [];
  return { fullPath, path: stage === stageName ? `/${rest}` : undefined, query };
}

/**
 * Returns the body, cut off after the chunk that exceeds the limit, or undefined if the client has
 * gone away in the middle of it.
 */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      if (bytes <= maxBytes) {
        chunks.push(chunk);
      }
      bytes += chunk.length;
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

/** Throws before it sends anything if Node does not accept a header. */
function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length });
  response.end(body);
}
