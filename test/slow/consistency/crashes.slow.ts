import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { type NpmStart, startNpmStart } from '../../support/program.ts';

/** Writes plants, and compares acknowledged writes with lists. */
function acknowledgedWrites() {
  /** Whether each id exists. An id is missing during a write, and after one without a response. */
  const present = new Map<number, boolean>();
  let lastId = 0;
  let count = 0;

  /** Creates or deletes a plant. Rejects without a response. */
  async function write(program: NpmStart, id: number, isThere: boolean): Promise<void> {
    present.delete(id);
    const plant = { id, name: `${id}` };
    const response = await (isThere ? program.create(plant) : program.remove(id));
    expect(response.status).toBe(isThere ? 201 : 204);
    present.set(id, isThere);
    count += 1;
  }

  return {
    count: () => count,
    present,
    /** Eight clients create plants and delete every third, until a write gets no response. */
    writeOn: (program: NpmStart, afterEach: () => unknown) =>
      Promise.allSettled(
        Array.from({ length: 8 }, async () => {
          for (;;) {
            lastId += 1;
            const id = lastId;
            for (const isThere of id % 3 === 0 ? [true, false] : [true]) {
              await write(program, id, isThere);
              await afterEach();
            }
          }
        }),
      ),
    /** Expects the acknowledged writes in the list. Returns all ids of the list. */
    async expectKept({ list }: NpmStart): Promise<number[]> {
      const ids: number[] = [];
      for (let query: string | undefined = ''; query !== undefined; ) {
        const response: Response = await list(query);
        for (const plant of (await response.json()) as { name: string }[]) {
          ids.push(Number(plant.name));
        }
        [, query] = /\/plants(\?.*)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? [];
      }
      const listed = new Set(ids);
      expect(listed.size).toBe(ids.length);
      for (const [id, isThere] of present) {
        expect([id, listed.has(id)]).toEqual([id, isThere]);
      }
      return ids;
    },
  };
}

test('acknowledged writes survive kills', async () => {
  const data = join(temporaryFolder(), 'store');
  const writes = acknowledgedWrites();
  /** Runs npm start on the data of the last run. Its list settles the unknown outcomes. */
  const start = async () => {
    const program = await startNpmStart(['--data', data]);
    for (const id of await writes.expectKept(program)) {
      writes.present.set(id, true);
    }
    return program;
  };
  for (let round = 0; round < 10; round += 1) {
    const program = await start();
    const killAfter = writes.count() + 20 + 8 * round;
    const kill = () => writes.count() >= killAfter && program.stop('SIGKILL');
    // The kill breaks each writer's connection.
    for (const outcome of await writes.writeOn(program, kill)) {
      const error = outcome.status === 'rejected' && outcome.reason;
      expect(`${error}`).toMatch(/^TypeError: (fetch failed|terminated)/);
    }
  }
  await (await start()).stop('SIGKILL');
});
