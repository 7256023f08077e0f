import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { operations } from '../../../functions/shared/operations.ts';
import { isThorough } from '../../support/property.ts';
import { isWrite } from './model.ts';
import { explored } from './plants/calls.ts';
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

test.each(writing)('the explorer has calls, states and a planted fault of %s', (operation) => {
  const [kind = ''] = Object.entries(explored).find(([, name]) => name === operation) ?? [];
  const isOfKind = (call: string) => call.split(' ')[0] === kind;
  expect({ operation, call: plants.operations.find(isOfKind) }).toEqual({
    operation,
    call: expect.any(String),
  });
  expect(Object.keys(plants.states[kind] ?? {})).not.toEqual([]);
  const faults = Object.values(plants.plantedFaults);
  expect(faults.filter(({ calls }) => calls.some(isOfKind))).not.toEqual([]);
});

test.each([
  { subject: 'plants', schedules: 320, scenarios: 17 },
  { subject: 'tokens', schedules: 650, scenarios: 82 },
])('schedules of two calls about $subject and one fault hold the contract', async (expected) => {
  const { code, output } = await explore(expected.subject, '--two-calls');
  const line = `schedules of ${expected.scenarios} scenarios hold the contract.`;
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(line) });
  expect(Number.parseInt(output, 10)).toBeGreaterThanOrEqual(expected.schedules);
});

const faults = Object.entries(subjects).flatMap(([subject, { plantedFaults }]) =>
  Object.entries(plantedFaults).map(([title, planted]) => ({ subject, title, ...planted })),
);
// One of them shows in every run that the explorer can fail.
const shown = 'a put that is sent again';

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
