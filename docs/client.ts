import type { components } from './client-types.ts';

/** Its id is a bigint, because a JavaScript number loses digits of a 64-bit integer. */
export type NewPlant = components['schemas']['NewPlant'];
export type Plant = components['schemas']['Plant'];
export type Problem = components['schemas']['Problem'];

export interface ClientOptions {
  /** With the stage, like `https://….amazonaws.com/v1`. */
  baseUrl: string;
  token: string;
  /** How often a call is repeated. */
  retries?: number;
  /** How long one attempt may take, in milliseconds. The API answers within 29 seconds. */
  timeout?: number;
  /**
   * Whether no other client writes plants of this owner. Only then are writes repeated that may
   * have taken effect, because that could undo what another client did meanwhile. A delete may
   * still arrive up to a minute after it was answered 503 or not at all. Create a plant with its id
   * only after that minute, although you are the only writer.
   */
  onlyWriter?: boolean;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** A call that failed. `problem.errors` names every fault of the request. */
export class PlantStoreError extends Error {
  override name = 'PlantStoreError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    const faults = problem.errors?.map(
      ({ pointer, parameter, header, detail }) => `${pointer ?? parameter ?? header} ${detail}`,
    );
    super(`${problem.title} (${problem.status}): ${faults?.join('; ') ?? problem.detail}`);
    this.problem = problem;
  }
}

/**
 * Returns a client for the plants of the token's owner. Its calls reject with a PlantStoreError,
 * with the error of `fetch` if no answer came, or with an Error if the answer is not the API's.
 * After a 503 or no answer, a write may have taken effect.
 */
export function plantStoreClient({
  baseUrl,
  token,
  retries = 5,
  timeout = 30_000,
  onlyWriter = false,
}: ClientOptions) {
  return {
    /** Creates a plant. Resolves too if the same plant is there already. */
    async create({ id, ...others }: NewPlant, options: CallOptions = {}): Promise<Plant> {
      // JSON.stringify refuses a bigint. With rawJSON its digits are written as they are.
      const body = JSON.stringify({ id: JSON.rawJSON(`${id}`), ...others });
      const answer = await call('POST', `${baseUrl}/plants`, options, body);
      expectStatus(answer, 200, 201);
      return parseJson(answer);
    },

    /** Yields all plants in the order of their ids. Fetches a page of them when it is needed. */
    async *list(pageSize = 1000, options: CallOptions = {}): AsyncGenerator<Plant> {
      let url: string | undefined = `${baseUrl}/plants?limit=${pageSize}`;
      while (url !== undefined) {
        const answer = await call('GET', url, options);
        expectStatus(answer, 200);
        yield* parseJson<Plant[]>(answer);
        url = nextPage(answer.response, url);
      }
    },

    /** Deletes a plant. Resolves to false if there is none with this id. */
    async delete(id: bigint, options: CallOptions = {}): Promise<boolean> {
      const answer = await call('DELETE', `${baseUrl}/plants/${id}`, options);
      if (problemOf(answer)?.type.endsWith(':plant-not-found')) {
        return answer.mayHaveSucceeded;
      }
      expectStatus(answer, 204);
      return true;
    },
  };

  /**
   * Sends a request, and again after a 429. Sends it again after a 503 or without an answer only if
   * that undoes nothing.
   */
  async function call(
    method: string,
    url: string,
    { signal }: CallOptions,
    body?: string,
  ): Promise<Answer> {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const isRepeatable = method === 'GET' || onlyWriter;
    let mayHaveSucceeded = false;
    for (let left = retries; ; left -= 1) {
      const timeLimit = AbortSignal.timeout(timeout);
      const request = new Request(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        // The API redirects no call. A proxy that does so would turn a create into a GET.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeLimit]) : timeLimit,
      });
      let wait = 1000;
      try {
        const response = await fetch(request);
        const text = await response.text();
        const isOver = response.status !== 429 && !(response.status === 503 && isRepeatable);
        if (isOver || left === 0) {
          return { response, text, mayHaveSucceeded };
        }
        wait = retryAfter(response.headers) ?? wait;
        mayHaveSucceeded ||= response.status === 503;
      } catch (error) {
        if (signal?.aborted || !isRepeatable || left === 0) {
          throw error;
        }
        mayHaveSucceeded = true;
      }
      await sleep(wait, signal);
    }
  }

  /** Returns the URL of the next page. The link has no host: it is relative to this page. */
  function nextPage({ headers }: Response, url: string): string | undefined {
    const [, link] = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
    if (link === undefined) {
      return undefined;
    }
    const next = new URL(link, url);
    if (next.origin !== new URL(url).origin) {
      throw new Error(`The next page is on another host, which must not get the token: ${next}`);
    }
    return next.href;
  }
}

/** What came back from a call, and whether an earlier attempt of it may have succeeded. */
interface Answer {
  response: Response;
  text: string;
  mayHaveSucceeded: boolean;
}

/** Throws unless an answer has one of the statuses with which the API says that a call worked. */
function expectStatus(answer: Answer, ...statuses: number[]): void {
  const { status, statusText, headers } = answer.response;
  if (statuses.includes(status)) {
    return;
  }
  // A browser hides where a redirect leads, and makes its status 0.
  if (status === 0 || (status >= 300 && status < 400)) {
    const target = headers.get('Location') ?? 'another URL';
    throw new Error(
      `The call is redirected to ${target}. The API redirects no call, so check the base URL.`,
    );
  }
  const problem = problemOf(answer);
  throw problem
    ? new PlantStoreError(problem)
    : new Error(`${status} ${statusText}: ${answer.text}`);
}

/** Returns the problem of an answer, or undefined if it is not the API's: a proxy's or cut, say. */
function problemOf({ response, text }: Answer): Problem | undefined {
  if (!hasType(response, 'application/problem+json')) {
    return undefined;
  }
  try {
    const problem = JSON.parse(text) as Problem | null;
    const isOfApi = `${problem?.type}`.startsWith('urn:problem-type:plant-store:');
    return problem && isOfApi ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the JSON of an answer. Throws if it is something else, a login page say. */
function parseJson<T>({ response, text }: Answer): T {
  if (!hasType(response, 'application/json')) {
    const type = response.headers.get('Content-Type');
    throw new Error(`The answer is no JSON but ${type}, so the plant store did not send it.`);
  }
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const { status, statusText } = response;
    throw new Error(`${status} ${statusText}, but its JSON is incomplete: ${text}`, { cause });
  }
}

function hasType({ headers }: Response, type: string): boolean {
  return headers.get('Content-Type')?.toLowerCase().startsWith(type) ?? false;
}

/** Returns the milliseconds until the time of `Retry-After`, which is in seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(text)) {
    return Number(text) * 1000;
  }
  // Date.parse also takes `-1` for a date, which is long past.
  const ms = /GMT$/.test(text) ? Date.parse(text) - Date.now() : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) {
        reject(signal.reason);
      } else {
        resolve();
      }
    };
    // A timer of more than 31 bits would end at once.
    const timer = setTimeout(end, signal?.aborted ? 0 : Math.min(ms, 2 ** 31 - 1));
    signal?.addEventListener('abort', end);
  });
}

declare global {
  interface JSON {
    /** TypeScript's own types do not have it yet. */
    rawJSON(text: string): unknown;
  }
}
