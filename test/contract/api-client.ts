import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Operation, operationNames, operations } from '../../functions/shared/operations.ts';
import type { ProblemCode } from '../../functions/shared/problems.ts';
import { parse, send as sendRaw } from '../support/http/http-client.ts';
import {
  type Answer,
  differences,
  differencesFromLink,
  differencesFromProblem,
  type ProblemDetails,
  placesIn,
  responsesOf,
} from '../support/openapi/description.ts';
import { refusalOf } from '../support/openapi/second-opinion.ts';
import { note } from './demands.ts';
import { openTarget } from './target.ts';

export const target = await openTarget();

const base = new URL(target.baseUrl);
const basePath = base.pathname.replace(/\/$/, '');
const client = base.protocol === 'https:' ? https : http;
// A new account runs at most ten functions at a time, of which a call needs two.
const agent = new client.Agent({ keepAlive: true, maxSockets: 5 });

/** The path with which references to plants start. */
export const plantsPath = `${basePath}/plants`;

export interface Call {
  method: string;
  /** Within the API, percent-encoded, like `/plants?limit=1`. */
  path: string;
  /** The first owner's if it is left out, none if it is null. */
  token?: string | null;
  /** In addition to Authorization, Host and Content-Length, sent in this order. */
  headers?: Header[];
  body?: string | Buffer;
  /** Whether the test tries every operation, so that it does not know what this one does. */
  isOfEveryOperation?: boolean;
}

export interface Reply extends Answer {
  json: unknown;
}

export type Header = [name: string, value: string];
export const json: Header = ['Content-Type', 'application/json'];

/**
 * Calls the API. Throws if the OpenAPI document does not describe the answer, or if it is a 5xx.
 */
export async function call(request: Call): Promise<Reply> {
  const reply = await send(request);
  const faults = judge(request, reply);
  const operation = operationOf(request);
  if (operation) {
    note(operation, request, reply);
  }
  // The query can hold a token.
  const [path] = request.path.split('?');
  if (faults.length > 0) {
    throw new Error(
      `${request.method} ${path} was answered with ${reply.status}: ${faults.join('; ')}.`,
    );
  }
  if (operation && reply.status === 200 && responsesOf(operation)[200]?.headers.Link) {
    await readAgain(request, reply);
  }
  return reply;
}

/** Follows a list's links, and lists again in smaller pages. Throws unless both are the same. */
async function readAgain(request: Call, reply: Reply): Promise<void> {
  if (target.isSam || target.isDeployed) {
    return;
  }
  const [path = '', query = ''] = request.path.split('?');
  const whole = await itemsFrom(request, reply);
  const smaller = new URLSearchParams(query);
  smaller.set('limit', `${Math.max(1, Math.floor(whole.length / 3))}`);
  const first = { ...request, path: `${path}?${smaller}` };
  const again = await itemsFrom(first, await send(first));
  if (!isDeepStrictEqual(again, whole)) {
    throw new Error(
      `${request.method} ${path} has ${whole.length} items, and ${again.length} in pages, or not ` +
        'in the same order.',
    );
  }
}

/** Returns the items of a page and of all pages after it. */
async function itemsFrom(request: Call, page: Reply): Promise<unknown[]> {
  const items = [...(page.json as unknown[])];
  let link = page.headers.link;
  while (link !== undefined) {
    const [, query] = /^<[^?]*\?(.*)>; rel="next"$/.exec(link) ?? [];
    const next = await send({ ...request, path: `${request.path.split('?')[0]}?${query}` });
    if (next.status !== 200 || items.length > 5000) {
      throw new Error(`The link ${link} is wrong.`);
    }
    items.push(...(next.json as unknown[]));
    link = next.headers.link;
  }
  return items;
}

/** Calls the API with a method and a path, like `GET /plants`. */
export const ask = (line: string, more: Partial<Call> = {}): Promise<Reply> => {
  const [, method = '', path = ''] = /^(\w+) (.*)$/s.exec(line) ?? [];
  return call({ method, path, ...more });
};
const as = (token?: string) => (token ? { token } : {});
export const create = (given: string | object, token?: string): Promise<Reply> => {
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  return ask('POST /plants', { headers: [json], body, ...as(token) });
};
export const list = (query = '', token?: string): Promise<Reply> =>
  ask(`GET /plants${query && `?${query}`}`, as(token));
export const remove = (id: bigint | number | string, token?: string): Promise<Reply> =>
  ask(`DELETE /plants/${id}`, as(token));

/** Returns the answer to a request, whatever it is. Waits and retries while the answer is 429. */
export async function send(request: Call): Promise<Reply> {
  const { method, path, token = target.token, headers = [], body } = request;
  const authorization = token ? ['Authorization', `Bearer ${token}`] : [];
  const sent = { method, path, headers: [...authorization, ...headers.flat()], body };
  for (;;) {
    const answer = await sendRaw(target.baseUrl, sent, agent);
    const single = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    const reply = { ...answer, headers: Object.fromEntries(single), json: parse(answer.body) };
    if (token) {
      remember(request, token, reply);
    }
    if (reply.status !== 429) {
      return reply;
    }
    await setTimeout(1000 * Number(reply.headers['retry-after'] ?? 1));
  }
}

/** Returns everything about an answer that the contract does not allow. */
function judge(request: Call, reply: Reply): string[] {
  const operation = operationOf(request);
  const faults = operation
    ? [...differences(operation, reply), ...differencesFromLink(request.path, reply)]
    : differencesFromProblem('no-such-operation', reply);
  if (operation && !target.isSam && !target.isDeployed) {
    faults.push(...dissent(operation, request, reply));
  }
  if (reply.status >= 500) {
    faults.push(`no request may have such an answer (${reply.body})`);
  }
  if (reply.status >= 400) {
    const problem = (reply.json ?? {}) as Record<string, unknown>;
    const { type, title, status, detail, instance, errors, ...more } = problem;
    if (Object.keys(more).length > 0) {
      faults.push(`the problem has unknown members: ${Object.keys(more)}`);
    }
    if (instance !== reply.headers['x-request-id']) {
      faults.push(`the instance ${instance} is not the id of the request`);
    }
    // A status can have several problems. The header that one of them needs is described here only.
    faults.push(...differencesFromProblem(problemOf(reply) as ProblemCode, reply));
  }
  return [...new Set(faults)];
}

/** Returns how an answer differs from what an independent validator of the document says. */
function dissent(operation: Operation, request: Call, { status, body }: Reply): string[] {
  // The gateway answers before the request is looked at.
  if ([401, 403].includes(status)) {
    return [];
  }
  const [path = '', query = ''] = request.path.split('?');
  const names = [...operations[operation].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}`);
  const values = pathOf(operation).exec(request.path)?.slice(1) ?? [];
  const expected = refusalOf(operation, {
    headers: request.headers ?? [],
    body: Buffer.from(gatewayText(request.body)),
    query: [...new URLSearchParams(query)],
    path: Object.fromEntries(names.map((name, i) => [name, values[i] ?? ''])),
  });
  const isRefusal = [400, 413, 415].includes(status);
  const actual = isRefusal ? { status, places: placesIn(body) } : undefined;
  return isDeepStrictEqual(actual, expected)
    ? []
    : [`docs/openapi.json says ${JSON.stringify(expected ?? 'yes')} to ${path}`];
}

/** A gateway passes bytes that are not UTF-8 on as U+FFFD. */
const gatewayText = (body: string | Buffer = '') => `${body}`;

const pathOf = (operation: Operation) =>
  new RegExp(`^/${operations[operation].path.replace(/\{\w+\}/g, '([^/?]+)')}/?(?:\\?.*)?$`, 's');

function operationOf({ method, path }: Call): Operation | undefined {
  const fitting = operationNames.filter((name) => pathOf(name).test(path));
  // A literal segment has precedence. The brace of a parameter comes after all its characters.
  const [route] = fitting.map((name) => operations[name].path).sort();
  return fitting.find(
    (name) => operations[name].path === route && operations[name].method === method,
  );
}

/** The plants that calls of this suite created, by path and token. */
const present = new Map<string, Call>();

function remember({ method, path }: Call, token: string, { status, headers }: Reply): void {
  const plant =
    status === 201 ? `${headers.location?.slice(basePath.length)}` : path.replace(/\/$/, '');
  const isRemovable = operationOf({ method: 'DELETE', path: plant }) !== undefined;
  if (status === 201 && isRemovable) {
    present.set(`${plant} ${token}`, { method: 'DELETE', path: plant, token });
  }
  if (method === 'DELETE' && (status === 204 || status === 404)) {
    present.delete(`${plant} ${token}`);
  }
}

/** Deletes every plant that calls of this suite created. */
export async function removeAll(): Promise<void> {
  await inParallel([...present.values()], send);
}

/** Does the work for each item. Throws the first error when all work is done. */
export async function inParallel<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const all = items.map(work);
  await Promise.allSettled(all);
  return Promise.all(all);
}

export const problemOf = ({ json: problem }: Reply): string =>
  (problem as ProblemDetails | undefined)?.type?.replace('urn:problem-type:plant-store:', '') ?? '';
