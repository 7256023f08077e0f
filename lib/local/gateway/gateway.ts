import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type GatewayResponseType,
  gatewayResponses,
} from '../../../functions/shared/gateway-responses.ts';
import { commonHeaders, preflight, requestIdHeader } from '../../../functions/shared/headers.ts';
import { operations, stageName } from '../../../functions/shared/operations.ts';
import {
  type ProblemCode,
  problemDetails,
  problemMediaType,
  problems,
} from '../../../functions/shared/problems.ts';
import { localRegion } from '../away-from-aws.ts';
import type { CallFunction } from '../runtime/functions.ts';
import type { Failure } from '../runtime/messages.ts';
import { proxyEvent } from './proxy-event.ts';
import { type ApiResponse, toResponse } from './proxy-result.ts';
import { tokenAuthorizer } from './token-authorizer.ts';

// API Gateway's work between a client and a function, as far as this API's clients can tell.

export interface HandledRequest {
  id: string;
  method: string;
  url: string;
  authorization: string | undefined;
  status: number;
  body: string;
  /** The code of the gateway's own problem. */
  problem: ProblemCode | undefined;
  ms: number;
  /** The lines that the functions logged for it, as JSON. */
  log: string[];
  /** The error, if a function failed. */
  failure: Failure | undefined;
}

interface Options {
  call: CallFunction;
  /** The origin whose pages may call, or `*`. Without it CORS is off. */
  corsOrigin?: string | undefined;
  /** How long the authorizer's policies are cached. */
  cacheSeconds: number;
  onResponse(handled: HandledRequest): void;
}

export interface Gateway {
  listener: RequestListener;
  /** Empties the cache of policies, because the authorizer's code has changed. */
  forgetPolicies(): void;
}

const maxBytes = 10 * 1024 * 1024;
const apiArn = `arn:aws:execute-api:${localRegion}:000000000000:Api`;

const routes = Object.values(operations).map(({ method, path, entry }) => ({
  method,
  entry,
  resource: `/${path}`,
  parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}`),
  // A slash at the end changes nothing.
  form: new RegExp(`^/${path.replaceAll(/\{\w+\}/g, '([^/]+)')}/?$`),
}));

export function gateway({ call, corsOrigin, cacheSeconds, onResponse }: Options): Gateway {
  const authorizer = tokenAuthorizer(call, cacheSeconds);

  /**
   * Responds to a request. Rejects if `onResponse` throws, the authorizer returns no policy, or a
   * function a header that Node does not send.
   */
  async function handle(request: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) {
      // The client disconnected.
      return;
    }
    const id = randomUUID();
    const response = await respondTo(request, body, id);
    send(outgoing, response);
    onResponse({
      id,
      method: `${request.method}`,
      url: `${request.url}`,
      authorization: findAuthorization(request),
      status: response.status,
      body: response.body,
      problem: response.problem,
      ms: performance.now() - startedAt,
      log: response.log ?? [],
      failure: response.failure,
    });
  }

  async function respondTo(
    request: IncomingMessage,
    body: Buffer,
    requestId: string,
  ): Promise<ApiResponse> {
    if (body.length > maxBytes) {
      return bodyTooLarge;
    }
    const { fullPath, path, query } = parseRequestTarget(request);
    if (path === undefined) {
      return outsideStage;
    }
    const ofPath = routes.filter(({ form }) => form.test(path));
    const isResource = path === '/' || ofPath.length > 0;
    if (request.method === 'OPTIONS' && corsOrigin !== undefined && isResource) {
      return makePreflightResponse(corsOrigin, requestId);
    }
    const route = ofPath.find(({ method }) => method === request.method);
    const authorization = findAuthorization(request);
    if (route === undefined) {
      const type = authorization === undefined ? 'MISSING_AUTHENTICATION_TOKEN' : 'DEFAULT_4XX';
      return makeGatewayResponse(type, requestId);
    }

    const methodArn = `${apiArn}/${stageName}/${route.method}${path}`;
    const verdict = await authorizer.authorize(authorization, methodArn);
    if ('refused' in verdict) {
      const { refused, failure, log } = verdict;
      return { ...makeGatewayResponse(refused, requestId, failure), log };
    }

    const { principalId, context } = verdict.allowed;
    const [, ...values] = route.form.exec(path) as string[];
    const event = proxyEvent({
      request,
      requestId,
      fullPath,
      path,
      query,
      resource: route.resource,
      pathParameters: route.parameters.map((name, i) => [name, `${values[i]}`]),
      authorizer: { ...context, principalId },
      body,
    });
    const { payload, failure, log: lines } = await call(route.entry, event);
    const log = [...verdict.log, ...lines];
    if (failure) {
      return { ...makeGatewayResponse('INTEGRATION_FAILURE', requestId, failure), log };
    }
    try {
      return { ...toResponse(payload), log };
    } catch (error) {
      return { ...makeGatewayResponse('INTEGRATION_FAILURE', requestId, error as Failure), log };
    }
  }

  function makeGatewayResponse(
    type: GatewayResponseType,
    instance: string,
    failure?: Failure,
  ): ApiResponse {
    const code = gatewayResponses[type];
    const { status, headers } = problems[code];
    return {
      status,
      headers: Object.entries({
        'Content-Type': problemMediaType,
        ...commonHeaders(corsOrigin),
        [requestIdHeader]: instance,
        ...headers,
      }),
      body: JSON.stringify(problemDetails(code, instance)),
      problem: code,
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

// No gateway response changes these two.
const outsideStage: ApiResponse = {
  status: 403,
  headers: [['Content-Type', 'application/json']],
  body: '{"message":"Forbidden"}',
};
const bodyTooLarge: ApiResponse = {
  status: 413,
  headers: [['Content-Type', 'text/plain']],
  body: `HTTP content length exceeded ${maxBytes} bytes.`,
};

function makePreflightResponse(corsOrigin: string, requestId: string): ApiResponse {
  return {
    status: 204,
    headers: Object.entries({
      ...commonHeaders(corsOrigin),
      [requestIdHeader]: requestId,
      'Access-Control-Allow-Headers': preflight.allowHeaders.join(','),
      'Access-Control-Allow-Methods': [...new Set(routes.map(({ method }) => method))].join(','),
      'Access-Control-Max-Age': `${preflight.maxAgeSeconds}`,
      // As CDK's preflights.
      ...(corsOrigin !== '*' && { Vary: 'Origin' }),
    }),
    body: '',
  };
}

/** Returns the last Authorization header, as API Gateway does. */
function findAuthorization({ headersDistinct }: IncomingMessage): string | undefined {
  return headersDistinct.authorization?.at(-1);
}

interface RequestTarget {
  fullPath: string;
  /** The path within the stage. Undefined outside the stage. */
  path: string | undefined;
  query: string;
}

/** Returns the parts of a request's target, still percent-encoded. */
function parseRequestTarget({ url = '' }: IncomingMessage): RequestTarget {
  // A client that treats this server as a proxy sends the whole URL.
  const relative = url.replace(/^https?:\/\/[^/?]*/i, '');
  const [encodedPath, query] = splitAtFirst(relative, '?');
  const fullPath = encodedPath.replace(/^\/+/, '/');
  return { fullPath, path: removeStage(fullPath), query };
}

function splitAtFirst(text: string, separator: string): [before: string, after: string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

/** Returns a path within the stage, or undefined outside it. */
function removeStage(fullPath: string): string | undefined {
  // Several slashes after the stage are one.
  const [prefix] = new RegExp(`^/${stageName}(/+|$)`).exec(fullPath) ?? [];
  return prefix === undefined ? undefined : `/${fullPath.slice(prefix.length)}`;
}

/**
 * Returns the body, truncated after the chunk that exceeds the limit. Rejects if the client
 * disconnects before its end.
 */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (bytes <= maxBytes) {
      chunks.push(chunk);
    }
    bytes += chunk.length;
  }
  return Buffer.concat(chunks);
}

function send(outgoing: ServerResponse, { status, headers, body }: ApiResponse): void {
  const length = status === 204 ? [] : ['Content-Length', `${Buffer.byteLength(body)}`];
  outgoing.writeHead(status, [...headers.flat(), ...length]);
  outgoing.end(body);
}
