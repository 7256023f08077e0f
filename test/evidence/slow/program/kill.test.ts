import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../support/cleanup.ts';
import { startNpmStart } from '../../../support/program.ts';
import { countOf } from '../../../support/report/property.ts';
import { report } from '../../../support/report/report.ts';
import { acknowledgedWrites } from './acknowledged-writes.ts';

test('what was acknowledged before a kill is there, or gone, after it', async () => {
  const startedAt = performance.now();
  // REPLAY repeats the choices, though not the timing.
  const seed = process.env.REPLAY ?? `${Date.now()}`;
  process.stdout.write(`kills: REPLAY=${seed} repeats their moments\n`);
  const moment = (round: number) =>
    createHash('sha256').update(`${seed} ${round}`).digest().readUInt32BE() % 80;
  const rounds = countOf({ whole: 50 });
  const data = join(temporaryFolder(), 'store');
  const writes = acknowledgedWrites();
  for (let round = 0; round <= rounds; round += 1) {
    const store = await startNpmStart(['--data', data]);
    // The list tells what was unknown after the kill.
    for (const id of await writes.expectIn(store)) writes.present.set(id, true);
    const killAfter = writes.count() + 20 + moment(round);
    const kill = () => writes.count() >= killAfter && store.end('SIGKILL');
    // The last round writes nothing.
    const outcomes = round < rounds ? await writes.writeOn(store, kill) : [];
    // Each writer ends with the connection that the kill broke.
    const errors = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason);
    for (const error of errors) expect(`${error}`).toMatch(/^TypeError: (fetch failed|terminated)/);
    if (round === rounds) await store.end('SIGKILL');
  }
  const there = [...writes.present.values()].filter(Boolean).length;
  report(
    {
      topic: 'Crashes',
      tried: '`npm start` killed (SIGKILL) during writes',
      count: rounds,
      unit: 'kills',
      outcome:
        `After every kill, all of ${writes.count()} acknowledged creates and deletes held. ` +
        `${there} plants were there at the end.`,
    },
    startedAt,
  );
});
