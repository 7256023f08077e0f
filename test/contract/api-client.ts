import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import type { ProblemCode } from '../../functions/shared/problems.ts';
import { waitInRealTime } from '../support/clock/stopped-clock.ts';
import { type HttpResponse, parse, send as sendRaw } from '../support/http/http-client.ts';
import { differences, differencesFromProblem } from '../support/openapi/description.ts';
import { printServerError, proxy, tested } from './tested-store.ts';

export type Header = [name: string, value: string];
export const json: Header = ['Content-Type', 'application/json'];

export interface Options {
  /** By default the first owner's. None if null. */
  token?: string | null;
  /** In addition to Authorization, Host and Content-Length, sent in this order. */
  headers?: Header[];
  body?: string | Buffer;
}

export interface ApiResponse extends HttpResponse {
  /** The body if it is JSON. */
  json: unknown;
}

// A new account may run at most ten functions at a time. A call needs two.
const connections = { keepAlive: true, maxSockets: 5 };
const agents = {
  'http:': new HttpAgent(connections),
  'https:': new HttpsAgent({ ...connections, ...(proxy && { proxyEnv: proxy }) }),
};

/** Returns the absolute path of the plants, which starts all references to them. */
export const plantsPath = (): string => `${basePath()}/plants`;
const basePath = () => new URL(tested.baseUrl).pathname.replace(/\/$/, '');

/**
 * Calls the API with a line like `GET /plants?limit=1`, percent-encoded. Throws if
 * docs/openapi.json does not allow the response.
 */
export async function ask(line: string, options: Options = {}): Promise<ApiResponse> {
  const response = await send(line, options);
  const differences = checkResponse(line, response);
  if (differences.length > 0) {
    // A query can hold a token.
    const [call] = line.split('?');
    const error = new Error(`${call} returned ${response.status}: ${differences.join('; ')}.`);
    if (response.status >= 500) {
      printServerError();
      // A bug of the service fails most tests. Where they call it says nothing about its cause.
      error.stack = error.message;
    }
    throw error;
  }
  return response;
}

export function create(plant: string | object, token = tested.token): Promise<ApiResponse> {
  const body = typeof plant === 'string' ? plant : JSON.stringify(plant);
  return ask('POST /plants', { headers: [json], body, token });
}

export const list = (query = '', token = tested.token): Promise<ApiResponse> =>
  ask(`GET /plants${query && `?${query}`}`, { token });

export const remove = (id: number | string, token = tested.token): Promise<ApiResponse> =>
  ask(`DELETE /plants/${id}`, { token });

/** Returns the response to a request, whatever it is. Waits and retries after a 429. */
export async function send(line: string, options: Options = {}): Promise<ApiResponse> {
  const { token = tested.token, headers = [], body } = options;
  const [, method = '', path = ''] = /^(\w+) (.*)$/s.exec(line) ?? [];
  const authorization = token ? ['Authorization', `Bearer ${token}`] : [];
  const request = { method, path, headers: [...authorization, ...headers.flat()], body };
  const agent = agents[new URL(tested.baseUrl).protocol as keyof typeof agents];
  for (;;) {
    const raw = await sendRaw(tested.baseUrl, request, agent);
    const response = { ...raw, json: parse(raw.body) };
    if (response.status !== 429) {
      remember(line, token, response);
      return response;
    }
    await waitInRealTime(1000 * Number(response.headers['retry-after'] ?? 1));
  }
}

/** The statuses of each operation that the tests have checked. */
export const responsesSeen = new Set<string>();

/** Returns every difference between a response and docs/openapi.json. */
function checkResponse(line: string, response: ApiResponse): string[] {
  const operation = findOperation(line);
  const found = operation ? differences(operation, response) : [];
  responsesSeen.add(`${operation} ${response.status}`);
  if (response.status >= 500) {
    found.push(`no request may get a 5xx (${response.body})`);
  }
  if (response.status >= 400) {
    const { type, title, status, detail, instance, errors, ...more } = Object(response.json);
    if (Object.keys(more).length > 0) {
      found.push(`the problem has unknown members: ${Object.keys(more)}`);
    }
    if (instance !== response.headers['x-request-id']) {
      found.push(`the instance ${instance} is not the request id`);
    }
    // A status can have several problems. Only the description of one has its required headers.
    found.push(...differencesFromProblem(readCode(response) as ProblemCode, response));
  }
  return [...new Set(found)];
}

/** Returns the line of a call of an operation, about the id 7. */
export const makeLine = ({ method, path }: { method: string; path: string }): string =>
  `${method} /${path.replaceAll(/\{\w+\}/g, '7')}`;

/** Finds the operation that a line calls, if there is one. */
const findOperation = (line: string) =>
  (Object.keys(operations) as Operation[]).find((name) => {
    const { method, path } = operations[name];
    return RegExp(`^${method} /${path.replace(/\{\w+\}/, '[^/?]+')}/?(\\?|$)`).test(line);
  });

/** Returns the code of a problem, or an empty text. */
export const readCode = ({ json: problem }: ApiResponse): string =>
  `${Object(problem).type ?? ''}`.replace('urn:problem-type:plant-store:', '');

/** The plants that calls have created and not deleted: for each, the call that deletes it. */
const present = new Map<string, () => Promise<ApiResponse>>();

function remember(line: string, token: string | null, { status, headers }: ApiResponse): void {
  if (token === null) {
    return;
  }
  if (status === 201) {
    const deletion = `DELETE ${`${headers.location}`.slice(basePath().length)}`;
    present.set(`${deletion} ${token}`, () => send(deletion, { token }));
  } else if (line.startsWith('DELETE ')) {
    present.delete(`${line.replace(/\/$/, '')} ${token}`);
  }
}

/** Deletes every plant that calls have created. */
export async function removeAll(): Promise<void> {
  await inParallel([...present.values()], (remove) => remove());
}

/** Does the work for each item. Throws the first error when all work is done. */
export async function inParallel<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const all = items.map(work);
  await Promise.allSettled(all);
  return Promise.all(all);
}
