import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { root } from '../../support/project.ts';
import { explore } from '../explorer/program.ts';

const folder = temporaryFolder();

const scenario = (calls: string, more: object = {}) => ({
  calls: calls.split(', '),
  present: false,
  faults: 1,
  everyError: false,
  ...more,
});
/** Returns what plants a fault in a file of functions/, with a scenario that shows it. */
const inFile = (file: string) => (what: string, shown: object, change: Record<string, string>) => ({
  what,
  file,
  shown,
  change,
});
const store = inFile('plants/store.ts');
const writes = inFile('writes.ts');
const condition = `ConditionExpression: 'attribute_not_exists(#id)',
      ExpressionAttributeNames: { '#id': sort },`;
const present = { present: true };
const faults = [
  store('a put without its condition', scenario('create Aloe, create Ficus', { faults: 0 }), {
    [condition]: '',
  }),
  store('one nonce for all creates', scenario('create Aloe, create Aloe'), {
    'const nonce = randomBytes(8)': 'const nonce = Buffer.alloc(8)',
  }),
  store('an item of any create taken for the own one', scenario('create Aloe, create Ficus'), {
    'nonce.equals(stored.nonce)': 'true',
  }),
  writes('a put sent again after a lost answer', scenario('create Aloe, delete'), {
    'if (info.error instanceof UnknownOutcome)': 'if (false)',
  }),
  writes('a delete sent again after a lost answer', scenario('create Ficus, delete', present), {
    'if (info.error instanceof UnknownOutcome)': 'if (false)',
  }),
  store('a read that may be stale', scenario('create Aloe, delete'), {
    'Key: keyOf(owner, id), ConsistentRead: true': 'Key: keyOf(owner, id)',
  }),
  store('a list that may be stale', scenario('create Aloe, list', { faults: 0 }), {
    '          ConsistentRead: true,\n': '',
  }),
  store(
    'a lost answer judged like a failed condition',
    scenario('create Aloe, create Aloe, delete'),
    { 'if (!(error instanceof ConditionalCheckFailedException)) throw error;': '' },
  ),
  store('a timed-out delete settled like a lost answer', scenario('create Aloe, delete'), {
    '|| error.mayStillArrive) throw': ') throw',
  }),
  store('a delete that succeeds though a plant is there', scenario('delete, list', present), {
    'if (await settle(error, owner, id, signal)) throw error;': '',
  }),
  writes('a 5xx taken for a refusal', scenario('create Aloe, delete', { everyError: true }), {
    'status < 500': 'status < 600',
  }),
  writes('a reset taken for a refused connection', scenario('create Ficus, delete', present), {
    "['ECONNREFUSED',": "['ECONNRESET', 'ECONNREFUSED',",
  }),
  store('a delete of nothing after a lost answer told as 404', scenario('delete, list', present), {
    'return true;': 'return false;',
  }),
];

test.each(faults)('the explorer finds $what', async ({ what, file, shown, change }) => {
  const functions = join(folder, what.replaceAll(' ', '-'), 'functions');
  cpSync(join(root, 'functions'), functions, { recursive: true });
  cpSync(join(root, 'package.json'), join(functions, '../package.json'));
  symlinkSync(join(root, 'node_modules'), join(functions, '../node_modules'));
  const sources = readFileSync(join(functions, file), 'utf8');
  const [before = '', after = ''] = Object.entries(change).flat();
  expect(sources.split(before)).toHaveLength(2);
  writeFileSync(join(functions, file), sources.replace(before, after));

  const found = await explore('--functions', functions, JSON.stringify(shown));
  const [, replay = ''] = /Replay: npm run explore -- '(.*)'/.exec(found.output) ?? [];
  expect({ ...found, replay }).toMatchObject({ code: 1, replay: expect.stringContaining(',') });

  process.stdout.write(`${what}: ${JSON.parse(replay).schedule.join(' ')}\n`);
  // The schedule shows it again.
  expect(await explore('--functions', functions, replay)).toEqual(found);
});
