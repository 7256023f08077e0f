import type { Operation } from '../../functions/shared/operations.ts';
import type { HttpResponse } from '../support/http/http-client.ts';
import type { Store } from '../support/service/store.ts';

type Id = bigint | number;

/** What clients see of a plant. */
export interface Shown {
  name: string;
  tag: string;
}

/** What an owner can do. */
export interface OwnerCalls {
  create(id: Id, plant: Shown): Promise<HttpResponse>;
  remove(id: Id): Promise<HttpResponse>;
  list(): Promise<HttpResponse>;
  /** Lists page by page. Other work may go on with each page. */
  pages(limit: number, meanwhile?: () => Promise<unknown>): Promise<Shown[][]>;
}

/** Returns the calls of an owner. Those of the operations in `canBeBusy` can be answered 503. */
export function ownerCalls(
  store: Store,
  owner: string,
  { isOverHttp = false, canBeBusy = [] as Operation[] } = {},
): OwnerCalls {
  type Request = Omit<Parameters<Store['call']>[0], 'owner'>;
  const call = (request: Request) =>
    store.call({ owner, ...request }, isOverHttp, canBeBusy.includes(request.operation));

  return {
    create(id, { name, tag }) {
      const members = JSON.stringify({ name, tag }).slice(1);
      const body = Buffer.from(`{"id":${id},${members}`);
      const headers: [string, string][] = [['Content-Type', 'application/json']];
      return call({ operation: 'createPlant', headers, body });
    },
    remove: (id) => call({ operation: 'deletePlant', path: { id: `${id}` } }),
    list: () => call({ operation: 'listPlants' }),
    async pages(limit, meanwhile = async () => undefined) {
      const pages: Shown[][] = [];
      let query: URLSearchParams | undefined = new URLSearchParams({ limit: `${limit}` });
      while (query) {
        const list = call({ operation: 'listPlants', query: [...query] });
        const [answer]: [HttpResponse, unknown] = await Promise.all([list, meanwhile()]);
        pages.push(JSON.parse(answer.body));
        query = nextOf(answer);
        // There are never more plants than that.
        if (pages.length > 100) {
          throw new Error('The links never end.');
        }
      }
      return pages;
    },
  };
}

const nextOf = ({ headers: { link } }: HttpResponse) =>
  link === undefined
    ? undefined
    : new URLSearchParams(/^<\/v1\/plants\?(.*)>; rel="next"$/.exec(link)?.[1]);

export const inOrder = (ids: Iterable<bigint>): bigint[] =>
  [...ids].sort((a, b) => (a < b ? -1 : Number(a > b)));
