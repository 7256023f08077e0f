import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { type NpmStart, startNpmStart } from '../../support/program.ts';

/** Whether each id exists. An id is missing during a write, and after one without a response. */
const present = new Map<number, boolean>();
let lastId = 0;
/** The number of acknowledged writes. */
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

/** Creates plants, and deletes every third. Calls `afterEach` after each write. Never resolves. */
async function writeOn(program: NpmStart, afterEach: () => unknown): Promise<void> {
  for (;;) {
    lastId += 1;
    const id = lastId;
    for (const isThere of id % 3 === 0 ? [true, false] : [true]) {
      await write(program, id, isThere);
      await afterEach();
    }
  }
}

/** Expects the acknowledged writes in the list. The list settles the unknown outcomes. */
async function expectKept({ list }: NpmStart): Promise<void> {
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
  for (const id of ids) {
    present.set(id, true);
  }
}

test('acknowledged writes survive kills', async () => {
  const data = join(temporaryFolder(), 'store');
  for (let round = 0; round < 10; round += 1) {
    const program = await startNpmStart(['--data', data]);
    await expectKept(program);
    const killAfter = count + 20 + 8 * round;
    const kill = () => count >= killAfter && program.stop('SIGKILL');
    const clients = Array.from({ length: 8 }, () => writeOn(program, kill));
    // The kill breaks each client's connection.
    for (const outcome of await Promise.allSettled(clients)) {
      const error = outcome.status === 'rejected' && outcome.reason;
      expect(`${error}`).toMatch(/^TypeError: (fetch failed|terminated)/);
    }
  }
  const program = await startNpmStart(['--data', data]);
  await expectKept(program);
  // It stops at once, although a request is open.
  const socket = connect(Number(new URL(program.baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await eventually('a connection', once(socket, 'connect'));
  socket.write('POST /v1/plants HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  await program.stop('SIGINT');
});
