import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { operations } from '../../../functions/shared/operations.ts';
import { isThorough } from '../../support/property.ts';
import { operations as explorations, explored } from './history.ts';
import { isWrite } from './model.ts';
import { plantedFaults } from './planted-faults.ts';

/** Runs the explorer. Returns its exit code and its output. */
const explore = (...args: string[]) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    const program = join(import.meta.dirname, 'explore.ts');
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

test('the explorer and its history.ts know every operation that writes', () => {
  const writing = Object.entries(operations).filter(([, { tables }]) =>
    Object.values<readonly string[]>(tables)
      .flat()
      .some((name) => isWrite({ name, parameters: {} })),
  );
  const names: string[] = Object.values(explored);
  expect(writing.map(([name]) => name).filter((name) => !names.includes(name))).toEqual([]);
  const kinds = explorations.map((exploration) => exploration.split(' ')[0]);
  expect(new Set(kinds)).toEqual(new Set(Object.keys(explored)));
});

test('every schedule of two calls and one fault holds the contract', async () => {
  const { code, output } = await explore('--two-calls');
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringMatching(/^\d+ schedules of 17 scenarios hold the contract\.\n$/),
  });
  expect(Number.parseInt(output, 10)).toBeGreaterThanOrEqual(320);
});

if (isThorough) {
  test.each(Object.entries(plantedFaults))(
    'the explorer finds %s',
    async (name, [, calls, more]) => {
      const scenario = { present: false, faults: 1, everyError: false, ...more };
      const given = JSON.stringify({ calls: calls.split(', '), ...scenario });
      const found = await explore('--fault', name, given);
      const [, replay = ''] = /Replay: \S+ \S+ \S+ '(.*)'/.exec(found.output) ?? [];
      expect({ ...found, replay }).toMatchObject({ code: 1, replay: expect.stringContaining(',') });
      // The printed schedule shows the fault again.
      expect(await explore('--fault', name, replay)).toEqual(found);
    },
  );

  test(
    'every schedule of three calls and two faults holds the contract',
    async () => {
      const { code, output } = await explore();
      process.stdout.write(output);
      expect({ code, output }).toMatchObject({ code: 0 });
      expect(Number.parseInt(output, 10)).toBeGreaterThanOrEqual(45_340);
    },
    30 * 60_000,
  );
}
