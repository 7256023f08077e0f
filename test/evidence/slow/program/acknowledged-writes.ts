import { expect } from '@jest/globals';
import type { startNpmStart } from '../../../support/program.ts';

type Store = Awaited<ReturnType<typeof startNpmStart>>;

/** Writes plants, and compares what was acknowledged with what is there. */
export function acknowledgedWrites(tag = '') {
  /** Whether each id is there. It is unknown during a write and after a 503. */
  const present = new Map<number, boolean>();
  let lastId = 0;
  let count = 0;

  /** Creates or deletes a plant. Returns whether that was acknowledged. */
  async function write(store: Store, id: number, isThere: boolean): Promise<boolean> {
    present.delete(id);
    const plant = { id, name: `${id}`, tag };
    const answer = await (isThere ? store.create(plant) : store.remove(id));
    if (answer.status === 503) {
      const type = 'urn:problem-type:plant-store:unavailable';
      expect(await answer.json()).toMatchObject({ type, status: 503 });
      return false;
    }
    expect(answer.status).toBe(isThere ? 201 : 204);
    present.set(id, isThere);
    count += 1;
    return true;
  }

  return {
    count: () => count,
    present,
    write,
    /** Eight clients create plants and delete every third, until a write is not acknowledged. */
    writeOn: (store: Store, afterEach: () => unknown = () => {}) =>
      Promise.allSettled(
        Array.from({ length: 8 }, async () => {
          for (;;) {
            lastId += 1;
            const id = lastId;
            for (const isThere of id % 3 === 0 ? [true, false] : [true]) {
              if (!(await write(store, id, isThere))) return;
              await afterEach();
            }
          }
        }),
      ),
    /** Follows the links of a list to the end. Returns the ids of the plants that are there. */
    async expectIn({ list }: Store): Promise<number[]> {
      const ids: number[] = [];
      for (let query: string | undefined = ''; query !== undefined; ) {
        const answer: Response = await list(query);
        for (const { name } of (await answer.json()) as { name: string }[]) ids.push(Number(name));
        [, query] = /\/plants(\?.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
      }
      const listed = new Set(ids);
      expect(listed.size).toBe(ids.length);
      for (const [id, isThere] of present) expect([id, listed.has(id)]).toEqual([id, isThere]);
      return ids;
    },
  };
}
