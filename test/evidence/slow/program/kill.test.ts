import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../support/cleanup.ts';
import { countOf } from '../../../support/report/property.ts';
import { report } from '../../../support/report/report.ts';
import { startProgram } from './started-program.ts';

test('what was acknowledged before a kill is there, or gone, after it', async () => {
  const startedAt = performance.now();
  // REPLAY repeats the choices, though not the timing.
  const seed = process.env.REPLAY ?? `${Date.now()}`;
  process.stdout.write(`kills: REPLAY=${seed} repeats their moments\n`);
  const moment = (round: number) =>
    createHash('sha256').update(`${seed} ${round}`).digest().readUInt32BE() % 80;
  const rounds = countOf({ whole: 50 });
  const data = join(temporaryFolder(), 'store');
  /** Whether each id is there, by the last acknowledged write. It is unknown during a write. */
  const present = new Map<number, boolean>();
  let lastId = 0;
  let acknowledged = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const store = await startProgram(data);
    const listed = new Set(await store.list());
    for (const [id, isThere] of present) expect([id, listed.has(id)]).toEqual([id, isThere]);
    // The list tells what was unknown after the kill.
    for (const id of listed) present.set(id, true);
    if (round === rounds) {
      await store.end('SIGKILL');
      break;
    }

    const killAfter = acknowledged + 20 + moment(round);
    const write = async (id: number, send: () => Promise<Response>, isThere: boolean) => {
      present.delete(id);
      expect([201, 204]).toContain((await send()).status);
      present.set(id, isThere);
      acknowledged += 1;
      if (acknowledged === killAfter) await store.end('SIGKILL');
    };
    const writer = async (): Promise<never> => {
      for (;;) {
        lastId += 1;
        const id = lastId;
        await write(id, () => store.create(id), true);
        if (id % 3 === 0) await write(id, () => store.remove(id), false);
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, writer));
    // Each writer ends with the connection that the kill broke.
    const errors = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason);
    for (const error of errors) expect(`${error}`).toMatch(/^TypeError: (fetch failed|terminated)/);
  }
  const there = [...present.values()].filter(Boolean).length;
  report(
    {
      topic: 'Crashes',
      tried: '`npm start` killed (SIGKILL) during writes',
      count: rounds,
      unit: 'kills',
      outcome:
        `After every kill, all of ${acknowledged} acknowledged creates and deletes held. ` +
        `${there} plants were there at the end.`,
    },
    startedAt,
  );
});
