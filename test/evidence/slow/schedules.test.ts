import { expect, test } from '@jest/globals';
import { report, share } from '../../support/report/report.ts';
import { explore } from '../explorer/run-explorer.ts';

test('every schedule of three calls and two faults holds the contract', async () => {
  const startedAt = performance.now();
  const { code, output } = await explore(...(share < 1 ? ['--two-calls'] : []));
  expect({ code, output }).toMatchObject({ code: 0 });
  report(
    {
      topic: 'Concurrency',
      tried: 'schedules of up to three calls and two faults, every one',
      count: Number(/^(\d+) schedules/.exec(output)?.[1]),
      unit: 'schedules',
      outcome: 'No answer and no stored plant contradicts the contract.',
      command: 'npm run proof -- test/evidence/slow/schedules',
    },
    startedAt,
  );
});
