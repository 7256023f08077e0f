import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { operations } from '../../../functions/shared/operations.ts';
import { isThorough } from '../../support/property.ts';
import { isWrite } from './model.ts';
import { plants } from './plants/subject.ts';
import { accessTokens } from './tokens/subject.ts';

/** Runs the explorer. Returns its exit code and its output. */
const explore = (...args: string[]) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    const program = join(import.meta.dirname, 'explore.ts');
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

const subjects = { plants, tokens: accessTokens };

const writing = Object.entries(operations)
  .filter(([, { tables }]) => tables.plants.some((name) => isWrite({ name })))
  .map(([name]) => name);

test.each(writing)('the explorer has states and a planted fault of %s', (operation) => {
  const { [operation]: states = {} } = plants.states;
  expect(Object.keys(states)).not.toEqual([]);
  const called = Object.values(plants.plantedFaults).flatMap(({ calls }) => calls);
  expect(called.map((call) => call.split(' ')[0])).toContain(operation);
});

test.each([
  { subject: 'plants', schedules: 320, scenarios: 17 },
  { subject: 'tokens', schedules: 320, scenarios: 82 },
])('schedules of two calls about $subject and one fault hold the contract', async (expected) => {
  const { code, output } = await explore(expected.subject, '--two-calls');
  const [, schedules, scenarios] =
    /(\d+) schedules of (\d+) scenarios hold the contract/.exec(output) ?? [];
  expect({ code, output }).toMatchObject({ code: 0 });
  // Another operation means more of them.
  expect(Number(schedules)).toBeGreaterThanOrEqual(expected.schedules);
  expect(Number(scenarios)).toBeGreaterThanOrEqual(expected.scenarios);
});

const faults = Object.entries(subjects).flatMap(([subject, { plantedFaults }]) =>
  Object.entries(plantedFaults).map(([title, planted]) => ({ subject, title, ...planted })),
);
// One of them shows in every run that the explorer can fail.
const shown = 'a revocation that makes a record';

test.each(faults.filter(({ title }) => isThorough || title === shown))(
  'the explorer finds $title',
  async ({ subject, title, calls, faults, present = false }) => {
    const scenario = JSON.stringify({ calls, present, faults, everyError: false });
    const found = await explore(subject, '--fault', title, scenario);
    const [, replay = ''] = /Replay: \S+ \S+ \S+ \S+ '(.*)'/.exec(found.output) ?? [];
    expect({ ...found, replay }).toMatchObject({ code: 1, replay: expect.stringContaining(':') });
    if (!isThorough) {
      return;
    }
    // The printed schedule shows the fault again.
    expect(await explore(subject, '--fault', title, replay)).toEqual(found);
  },
);

if (isThorough) {
  test.each([
    { subject: 'plants', schedules: 45_340 },
    { subject: 'tokens', schedules: 60_000 },
  ])(
    'schedules of three calls about $subject and two faults hold the contract',
    async ({ subject, schedules }) => {
      const { code, output } = await explore(subject);
      process.stdout.write(output);
      expect({ code, output }).toMatchObject({ code: 0 });
      expect(Number.parseInt(output, 10)).toBeGreaterThanOrEqual(schedules);
    },
    30 * 60_000,
  );
}
