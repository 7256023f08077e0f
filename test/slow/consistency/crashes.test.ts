import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { type NpmStart, startNpmStart } from '../../support/program.ts';

/** Writes plants, and compares acknowledged writes with lists. */
function acknowledgedWrites(tag = '') {
  /** Whether each id exists. An id is missing here during a write and after a 503. */
  const present = new Map<number, boolean>();
  let lastId = 0;
  let count = 0;

  /** Creates or deletes a plant. Returns whether the write was acknowledged. */
  async function write(program: NpmStart, id: number, isThere = true): Promise<boolean> {
    present.delete(id);
    const plant = { id, name: `${id}`, tag };
    const response = await (isThere ? program.create(plant) : program.remove(id));
    if (response.status === 503) {
      const type = 'urn:problem-type:plant-store:unavailable';
      expect(await response.json()).toMatchObject({ type, status: 503 });
      return false;
    }
    expect(response.status).toBe(isThere ? 201 : 204);
    present.set(id, isThere);
    count += 1;
    return true;
  }

  return {
    count: () => count,
    present,
    write,
    /** Eight clients create plants and delete every third, until a write is not acknowledged. */
    writeOn: (program: NpmStart, afterEach: () => unknown = () => {}) =>
      Promise.allSettled(
        Array.from({ length: 8 }, async () => {
          for (;;) {
            lastId += 1;
            const id = lastId;
            for (const isThere of id % 3 === 0 ? [true, false] : [true]) {
              if (!(await write(program, id, isThere))) {
                return;
              }
              await afterEach();
            }
          }
        }),
      ),
    /** Expects the acknowledged writes in the list. Returns all ids of the list. */
    async expectIn({ list }: NpmStart): Promise<number[]> {
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
    for (const id of await writes.expectIn(program)) {
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
}, 300_000);

const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

/** Mounts a small disk in a new folder. Returns [] without the right to mount. */
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
  process.stderr.write(
    'The test of a full disk is skipped, because this user may not mount one.\n',
  );
}
const testOnDisk = disk ? test : test.skip;

testOnDisk(
  'on a full disk, npm start exits with a clear error and loses no write',
  async () => {
    const { folder, makeRoom } = disk as NonNullable<typeof disk>;
    const data = join(folder, 'store');
    const writes = acknowledgedWrites('🌵'.repeat(100));
    const program = await startNpmStart(['--data', data]);
    await writes.writeOn(program);
    const { code, stderr } = await program.ended();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /\nerror: \S+store cannot be read and written: .*No space left on device\. Fix that, or .*\n$/,
      ),
    });
    makeRoom();
    const restarted = await startNpmStart(['--data', data]);
    await writes.expectIn(restarted);
    expect(await writes.write(restarted, -1)).toBe(true);
    await restarted.stop();
  },
  300_000,
);
