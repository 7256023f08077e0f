import { expect, test } from '@jest/globals';
import { report, share } from '../../support/report/report.ts';
import { plantedFaults } from '../explorer/planted-faults.ts';
import { explore } from '../explorer/run-explorer.ts';

test.each(Object.entries(plantedFaults))('the explorer finds %s', async (name, [, calls, more]) => {
  const scenario = { present: false, faults: 1, everyError: false, ...more };
  const given = JSON.stringify({ calls: calls.split(', '), ...scenario });
  const found = await explore('--fault', name, given);
  const [, replay = ''] = /Replay: \S+ \S+ \S+ '(.*)'/.exec(found.output) ?? [];
  expect({ ...found, replay }).toMatchObject({ code: 1, replay: expect.stringContaining(',') });

  process.stdout.write(`${name}: ${JSON.parse(replay).schedule.join(' ')}\n`);
  // The schedule shows it again.
  expect(await explore('--fault', name, replay)).toEqual(found);
});

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
    },
    startedAt,
  );
});
