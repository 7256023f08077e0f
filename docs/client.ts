import type { components } from './client-types.ts';

/** Its id is a bigint, because a JavaScript number loses digits of a 64-bit integer. */
export type NewPlant = components['schemas']['NewPlant'];
export type Plant = components['schemas']['Plant'];
export type Problem = components['schemas']['Problem'];

export interface ClientOptions {
  /** With the stage, like `https://….amazonaws.com/v1`. */
  baseUrl: string;
  token: string;
  /** How often a call is repeated that was answered 429 or 503, or not at all. */
  retries?: number;
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
 * Returns a client for the plants of the token's owner. Its calls reject with a PlantStoreError.
 */
export function plantStoreClient({ baseUrl, token, retries = 5 }: ClientOptions) {
  return {
    /** Creates a plant. Resolves too if the same plant is there already. */
    async create({ id, ...others }: NewPlant): Promise<Plant> {
      // JSON.stringify refuses a bigint. With rawJSON its digits are written as they are.
      const body = JSON.stringify({ id: JSON.rawJSON(`${id}`), ...others });
      const { response } = await call('POST', `${baseUrl}/plants`, body);
      return (await successful(response)).json();
    },

    /** Yields all plants in the order of their ids. Fetches a page of them when it is needed. */
    async *list(pageSize = 1000): AsyncGenerator<Plant> {
      let url: string | undefined = `${baseUrl}/plants?limit=${pageSize}`;
      while (url !== undefined) {
        const { response } = await call('GET', url);
        yield* (await (await successful(response)).json()) as Plant[];
        url = nextPage(response);
      }
    },

    /** Deletes a plant. Resolves to false if there is none with this id. */
    async delete(id: bigint): Promise<boolean> {
      const { response, mayHaveSucceeded } = await call('DELETE', `${baseUrl}/plants/${id}`);
      if (response.status === 404) return mayHaveSucceeded;
      await successful(response);
      return true;
    },
  };

  /**
   * Sends a request, and again for as long as the answer is 429 or 503. All of them are safe to
   * repeat.
   */
  async function call(method: string, url: string, body?: string) {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    let mayHaveSucceeded = false;
    for (let left = retries; ; left -= 1) {
      const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
      const wait = [429, 503].includes(response.status) && response.headers.get('Retry-After');
      if (!wait || left === 0) return { response, mayHaveSucceeded };
      // A call that was answered 503 may have taken effect.
      mayHaveSucceeded ||= response.status === 503;
      await new Promise((resolve) => setTimeout(resolve, Number(wait) * 1000));
    }
  }

  /** Returns the URL of the next page. The link has no host: it is relative to this page. */
  function nextPage({ headers, url }: Response): string | undefined {
    const [, link] = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
    return link && new URL(link, url).href;
  }
}

async function successful(response: Response): Promise<Response> {
  if (response.ok) return response;
  // What stands between the API and its clients, a proxy say, has errors of another type.
  const isProblem = response.headers.get('Content-Type')?.startsWith('application/problem+json');
  throw isProblem
    ? new PlantStoreError((await response.json()) as Problem)
    : new Error(`${response.status} ${response.statusText}: ${await response.text()}`);
}

declare global {
  interface JSON {
    /** TypeScript's own types do not have it yet. */
    rawJSON(text: string): unknown;
  }
}
