import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { type NpmStart, startNpmStart } from '../../support/program.ts';

/** Writes plants, and compares what was acknowledged with what is there. */
function acknowledgedWrites(tag = '') {
  /** Whether each id is there. It is unknown during a write and after a 503. */
  const present = new Map<number, boolean>();
  let lastId = 0;
  let count = 0;

  /** Creates or deletes a plant. Returns whether that was acknowledged. */
  async function write(store: NpmStart, id: number, isThere = true): Promise<boolean> {
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
    writeOn: (store: NpmStart, afterEach: () => unknown = () => {}) =>
      Promise.allSettled(
        Array.from({ length: 8 }, async () => {
          for (;;) {
            lastId += 1;
            const id = lastId;
            for (const isThere of id % 3 === 0 ? [true, false] : [true]) {
              if (!(await write(store, id, isThere))) {
                return;
              }
              await afterEach();
            }
          }
        }),
      ),
    /** Follows the links of a list to the end. Returns the ids of the plants that are there. */
    async expectIn({ list }: NpmStart): Promise<number[]> {
      const ids: number[] = [];
      for (let query: string | undefined = ''; query !== undefined; ) {
        const answer: Response = await list(query);
        for (const plant of (await answer.json()) as { name: string }[]) {
          ids.push(Number(plant.name));
        }
        [, query] = /\/plants(\?.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
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

test('what was acknowledged before a kill is there, or gone, after it', async () => {
  const data = join(temporaryFolder(), 'store');
  const writes = acknowledgedWrites();
  /** Starts the store on what a kill left. The list tells what was unknown after the kill. */
  const start = async () => {
    const store = await startNpmStart(['--data', data]);
    for (const id of await writes.expectIn(store)) {
      writes.present.set(id, true);
    }
    return store;
  };
  for (let round = 0; round < 10; round += 1) {
    const store = await start();
    const killAfter = writes.count() + 20 + 80 * Math.random();
    const kill = () => writes.count() >= killAfter && store.stop('SIGKILL');
    // Each writer ends with the connection that the kill broke.
    for (const outcome of await writes.writeOn(store, kill)) {
      const error = outcome.status === 'rejected' && outcome.reason;
      expect(`${error}`).toMatch(/^TypeError: (fetch failed|terminated)/);
    }
  }
  await (await start()).stop('SIGKILL');
}, 300_000);

const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

/** Mounts a small disk in a new folder. Other users, and root in a container, may not mount. */
function mountDisk() {
  const folder = temporaryFolder();
  const run = (...command: string[]) => {
    const [program = '', ...args] = [...sudo, ...command];
    return spawnSync(program, args).status === 0;
  };
  const mount = (options: string) => run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder);
  if (!mount('size=1m')) {
    return [];
  }
  finallyDo(() => run('umount', '--lazy', folder));
  return [{ folder, makeRoom: () => expect(mount('size=64m,remount')).toBe(true) }];
}

const [disk] = mountDisk();
if (!disk) {
  process.stderr.write('The tests leave out the full disk, because they cannot mount one.\n');
}
const testOnDisk = disk ? test : test.skip;

testOnDisk(
  'a full disk ends npm start with a clear error and loses nothing',
  async () => {
    const { folder, makeRoom } = disk as NonNullable<typeof disk>;
    const data = join(folder, 'store');
    const writes = acknowledgedWrites('🌵'.repeat(100));
    const store = await startNpmStart(['--data', data]);
    await writes.writeOn(store);
    const { code, stderr } = await store.ended();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('No space left on device'),
    });
    makeRoom();
    const restarted = await startNpmStart(['--data', data]);
    await writes.expectIn(restarted);
    expect(await writes.write(restarted, -1)).toBe(true);
    await restarted.stop();
  },
  300_000,
);
