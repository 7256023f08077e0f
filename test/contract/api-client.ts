import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '../../functions/shared/operations.ts';
import type { ProblemCode } from '../../functions/shared/problems.ts';
import { parse, send as sendRaw } from '../support/http/http-client.ts';
import { differences, differencesFromProblem, placesIn } from '../support/openapi/description.ts';
import { refusalOf } from '../support/openapi/second-opinion.ts';
import { isDeployed, isSam, target } from './target.ts';

export type Header = [name: string, value: string];
export const json: Header = ['Content-Type', 'application/json'];

export interface Options {
  /** The first owner's if it is left out, none if it is null. */
  token?: string | null;
  /** In addition to Authorization, Host and Content-Length, sent in this order. */
  headers?: Header[];
  body?: string | Buffer;
}

export interface Reply {
  status: number;
  /** By their names in lower case. */
  headers: Record<string, string | undefined>;
  body: string;
  /** The body if it is JSON. */
  json: unknown;
}

// A new account runs at most ten functions at a time, of which a call needs two.
const connections = { keepAlive: true, maxSockets: 5 };
const agents = { 'http:': new HttpAgent(connections), 'https:': new HttpsAgent(connections) };

/** Returns the absolute path of the plants, with which references to them start. */
export const plantsPath = (): string => `${basePath()}/plants`;
const basePath = () => new URL(target.baseUrl).pathname.replace(/\/$/, '');

/**
 * Calls the API with a line like `GET /plants?limit=1`, percent-encoded. Throws if the answer is
 * not in docs/openapi.json, or if the document judges the request differently.
 */
export async function ask(line: string, options: Options = {}): Promise<Reply> {
  const reply = await send(line, options);
  const faults = judge(line, options, reply);
  if (faults.length > 0) {
    // A query can hold a token.
    const [call] = line.split('?');
    throw new Error(`${call} was answered with ${reply.status}: ${faults.join('; ')}.`);
  }
  return reply;
}

const as = (token?: string) => (token === undefined ? {} : { token });

export function create(plant: string | object, token?: string): Promise<Reply> {
  const body = typeof plant === 'string' ? plant : JSON.stringify(plant);
  return ask('POST /plants', { headers: [json], body, ...as(token) });
}

export const list = (query = '', token?: string): Promise<Reply> =>
  ask(`GET /plants${query && `?${query}`}`, as(token));

export const remove = (id: bigint | number | string, token?: string): Promise<Reply> =>
  ask(`DELETE /plants/${id}`, as(token));

/** Returns the answer to a request, whatever it is. Waits and retries while the answer is 429. */
export async function send(line: string, options: Options = {}): Promise<Reply> {
  const { token = target.token, headers = [], body } = options;
  const [, method = '', path = ''] = /^(\w+) (.*)$/s.exec(line) ?? [];
  const authorization = token ? ['Authorization', `Bearer ${token}`] : [];
  const request = { method, path, headers: [...authorization, ...headers.flat()], body };
  const agent = agents[new URL(target.baseUrl).protocol as keyof typeof agents];
  for (;;) {
    const answer = await sendRaw(target.baseUrl, request, agent);
    const single = Object.entries(answer.headers).map(([name, value]) => [name, `${value}`]);
    const reply = { ...answer, headers: Object.fromEntries(single), json: parse(answer.body) };
    if (reply.status !== 429) {
      remember(line, token, reply);
      return reply;
    }
    await setTimeout(1000 * Number(reply.headers['retry-after'] ?? 1));
  }
}

const routes: [Operation, line: RegExp][] = [
  ['createPlant', /^POST \/plants\/?(?:\?|$)/],
  ['listPlants', /^GET \/plants\/?(?:\?|$)/],
  ['deletePlant', /^DELETE \/plants\/([^/?]+)\/?(?:\?|$)/],
];

/** Returns everything about an answer that docs/openapi.json does not allow. */
function judge(line: string, options: Options, reply: Reply): string[] {
  const [operation, pattern] = routes.find(([, route]) => route.test(line)) ?? [];
  const faults: string[] = [];
  if (operation && pattern) {
    faults.push(...differences(operation, reply));
    if (!isSam && !isDeployed) {
      faults.push(...dissent(operation, line, pattern.exec(line)?.[1], options, reply));
    }
  }
  if (reply.status >= 500) {
    faults.push(`no request may have such an answer (${reply.body})`);
  }
  if (reply.status >= 400) {
    const { type, title, status, detail, instance, errors, ...more } = Object(reply.json);
    if (Object.keys(more).length > 0) {
      faults.push(`the problem has unknown members: ${Object.keys(more)}`);
    }
    if (instance !== reply.headers['x-request-id']) {
      faults.push(`the instance ${instance} is not the id of the request`);
    }
    // A status can have several problems, so only this describes the header that one of them needs.
    faults.push(...differencesFromProblem(codeOf(reply) as ProblemCode, reply));
  }
  return [...new Set(faults)];
}

/** Returns how an answer differs from what an independent validator of the document says. */
function dissent(
  operation: Operation,
  line: string,
  id: string | undefined,
  { headers = [], body = '' }: Options,
  reply: Reply,
): string[] {
  // The gateway answers these before the request is looked at.
  if (reply.status === 401 || reply.status === 403) {
    return [];
  }
  const expected = refusalOf(operation, {
    headers,
    // A gateway passes bytes that are not UTF-8 on as U+FFFD.
    body: Buffer.from(`${body}`),
    query: [...new URLSearchParams(line.split('?')[1] ?? '')],
    path: id === undefined ? {} : { id },
  });
  const isRefusal = [400, 413, 415].includes(reply.status);
  const actual = isRefusal ? { status: reply.status, places: placesIn(reply.body) } : undefined;
  return isDeepStrictEqual(actual, expected)
    ? []
    : [`docs/openapi.json says ${JSON.stringify(expected ?? 'yes')}`];
}

/** Returns the code of a problem, or an empty text. */
export const codeOf = ({ json: problem }: Reply): string =>
  `${Object(problem).type ?? ''}`.replace('urn:problem-type:plant-store:', '');

/** The plants that calls have created and not deleted, each as its deletion. */
const present = new Map<string, () => Promise<Reply>>();

function remember(line: string, token: string | null, { status, headers }: Reply): void {
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
