import type { PublicFields } from '../../functions/plants/plant.ts';
import type { HttpResponse } from '../support/http/http-client.ts';
import type { Call } from '../support/service/functions.ts';
import { call as callOperation } from './functions.ts';

type Id = bigint | number;

export interface OwnerCalls {
  create(id: Id, plant: PublicFields): Promise<HttpResponse>;
  remove(id: Id): Promise<HttpResponse>;
  /** Lists all pages. Each page is requested together with `besides`. */
  pages(limit: number, besides?: () => Promise<unknown>): Promise<PublicFields[][]>;
}

/** Returns the calls of an owner. */
export function ownerCalls(owner: string): OwnerCalls {
  const call = (request: Omit<Call, 'owner'>) => callOperation({ owner, ...request });

  return {
    create(id, fields) {
      const members = JSON.stringify(fields).slice(1);
      const body = Buffer.from(`{"id":${id},${members}`);
      const headers: [string, string][] = [['Content-Type', 'application/json']];
      return call({ operation: 'createPlant', headers, body });
    },
    remove: (id) => call({ operation: 'deletePlant', path: { id: `${id}` } }),
    async pages(limit, besides = async () => undefined) {
      const pages: PublicFields[][] = [];
      let query: URLSearchParams | undefined = new URLSearchParams({ limit: `${limit}` });
      while (query) {
        const list = call({ operation: 'listPlants', query: [...query] });
        const [response]: [HttpResponse, unknown] = await Promise.all([list, besides()]);
        pages.push(JSON.parse(response.body));
        query = parseNext(response);
        // No test has this many plants.
        if (pages.length > 100) {
          throw new Error('More than 100 pages: the links may be a cycle.');
        }
      }
      return pages;
    },
  };
}

const parseNext = ({ headers: { link } }: HttpResponse) =>
  link === undefined
    ? undefined
    : new URLSearchParams(/^<\/v1\/plants\?(.*)>; rel="next"$/.exec(link)?.[1]);

export const inOrder = (ids: Iterable<bigint>): bigint[] =>
  [...ids].sort((a, b) => (a < b ? -1 : Number(a > b)));
