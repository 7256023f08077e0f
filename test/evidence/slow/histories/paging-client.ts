import type { Answer } from '../../../contract/description.ts';
import { type Content, sent } from '../../../support/plant.ts';
import { openStore, plantsIn } from '../../../support/service/store.ts';

export type Plants = Awaited<ReturnType<typeof openPlants>>;

/** Starts the service, and returns its operations on valid plants. */
export async function openPlants() {
  const store = await openStore();
  const headers: [string, string][] = [['Content-Type', 'application/json']];

  const create = (owner: string, id: bigint, content: Content) => {
    const body = Buffer.from(sent(id, content));
    return store.call({ operation: 'createPlant', owner, headers, body });
  };
  const remove = (owner: string, id: bigint) =>
    store.call({ operation: 'deletePlant', owner, id: `${id}` });

  /** Lists page by page. Other work may go on with each page. */
  async function pagesOf(
    owner: string,
    limit: number,
    meanwhile: () => Promise<unknown> = async () => {},
  ): Promise<Content[][]> {
    const pages: Content[][] = [];
    let query: URLSearchParams | undefined = new URLSearchParams({ limit: `${limit}` });
    while (query) {
      const list = store.call({ operation: 'listPlants', owner, query: [...query] });
      const [answer]: [Answer, unknown] = await Promise.all([list, meanwhile()]);
      pages.push(plantsIn(answer));
      query = nextOf(answer);
      // There are never more plants than that.
      if (pages.length > 100) throw new Error('The links never end.');
    }
    return pages;
  }

  return { create, remove, pagesOf, stop: store.stop };
}

const nextOf = ({ headers: { link } }: Answer) =>
  link === undefined
    ? undefined
    : new URLSearchParams(/^<\/v1\/plants\?(.*)>; rel="next"$/.exec(link)?.[1]);

export const inOrder = (ids: Iterable<bigint>): bigint[] =>
  [...ids].sort((a, b) => (a < b ? -1 : Number(a > b)));
