import { expect, test } from '@jest/globals';
import { faults } from '../explorer/explorer-faults.ts';
import { explore } from '../explorer/run-explorer.ts';

const scenario = (calls: string, more: object = {}) => ({
  calls: calls.split(', '),
  present: false,
  faults: 1,
  everyError: false,
  ...more,
});
const present = { present: true };

/** The scenarios that show the faults. */
const shown: Record<string, object> = {
  'a put without its condition': scenario('create Aloe, create Ficus', { faults: 0 }),
  'one nonce for all creates': scenario('create Aloe, create Aloe'),
  'an item of any create taken for the own one': scenario('create Aloe, create Ficus'),
  'a put sent again after a lost answer': scenario('create Aloe, delete'),
  'a delete sent again after a lost answer': scenario('create Ficus, delete', present),
  'a read that may be stale': scenario('create Aloe, delete'),
  'a list that may be stale': scenario('create Aloe, list', { faults: 0 }),
  'a lost answer judged like a failed condition': scenario('create Aloe, create Aloe, delete'),
  'a timed-out delete settled like a lost answer': scenario('create Aloe, delete'),
  'a delete that succeeds though a plant is there': scenario('delete, list', present),
  'a 5xx taken for a refusal': scenario('create Aloe, delete', { everyError: true }),
  'a reset taken for a refused connection': scenario('create Ficus, delete', present),
  'a lost answer of a delete told as 404': scenario('delete, list', present),
};

test.each(Object.keys(faults))('the explorer finds %s', async (fault) => {
  const found = await explore('--fault', fault, JSON.stringify(shown[fault]));
  const [, replay = ''] = /Replay: \S+ \S+ \S+ '(.*)'/.exec(found.output) ?? [];
  expect({ ...found, replay }).toMatchObject({ code: 1, replay: expect.stringContaining(',') });

  process.stdout.write(`${fault}: ${JSON.parse(replay).schedule.join(' ')}\n`);
  // The schedule shows it again.
  expect(await explore('--fault', fault, replay)).toEqual(found);
});
