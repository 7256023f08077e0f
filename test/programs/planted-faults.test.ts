import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { explore } from '../explorer/program.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A fault to plant, by the file in functions/ that it changes, and a scenario that shows it. */
const faults: [what: string, file: string, before: string, after: string, scenario: object][] = [
  [
    'a put without its condition',
    'plants/store.ts',
    "ConditionExpression: 'attribute_not_exists(#id)',\n" +
      "      ExpressionAttributeNames: { '#id': sort },",
    '',
    { calls: ['create Aloe', 'create Ficus'], present: false, faults: 0 },
  ],
  [
    'one nonce for all creates',
    'plants/store.ts',
    'const nonce = randomBytes(8)',
    'const nonce = Buffer.alloc(8)',
    { calls: ['create Aloe', 'create Aloe'], present: false, faults: 1 },
  ],
  [
    'an item of any create taken for the own one',
    'plants/store.ts',
    'nonce.equals(stored.nonce)',
    'true',
    { calls: ['create Aloe', 'create Ficus'], present: false, faults: 1 },
  ],
  [
    'a put sent again after a lost answer',
    'writes.ts',
    'if (info.error instanceof UnknownOutcome)',
    'if (false)',
    { calls: ['create Aloe', 'delete'], present: false, faults: 1 },
  ],
  [
    'a delete sent again after a lost answer',
    'writes.ts',
    'if (info.error instanceof UnknownOutcome)',
    'if (false)',
    { calls: ['create Ficus', 'delete'], present: true, faults: 1 },
  ],
  [
    'a read that may be stale',
    'plants/store.ts',
    'Key: keyOf(owner, id), ConsistentRead: true',
    'Key: keyOf(owner, id)',
    { calls: ['create Aloe', 'delete'], present: false, faults: 1 },
  ],
  [
    'a list that may be stale',
    'plants/store.ts',
    '          ConsistentRead: true,\n',
    '',
    { calls: ['create Aloe', 'list'], present: false, faults: 0 },
  ],
  [
    'a lost answer judged like a failed condition',
    'plants/store.ts',
    'if (!(error instanceof ConditionalCheckFailedException)) throw error;',
    '',
    { calls: ['create Aloe', 'create Aloe', 'delete'], present: false, faults: 1 },
  ],
  [
    'a delete that timed out settled as if it could not arrive any more',
    'plants/store.ts',
    '|| error.mayStillArrive) throw',
    ') throw',
    { calls: ['create Aloe', 'delete'], present: false, faults: 1 },
  ],
  [
    'a delete that succeeds though a plant is there',
    'plants/store.ts',
    'if (await settle(error, owner, id, signal)) throw error;',
    '',
    { calls: ['delete', 'list'], present: true, faults: 1 },
  ],
  [
    'a 5xx taken for a refusal',
    'writes.ts',
    'status < 500',
    'status < 600',
    { calls: ['create Aloe', 'delete'], present: false, faults: 1, everyError: true },
  ],
  [
    'a reset taken for a refused connection',
    'writes.ts',
    "['ECONNREFUSED',",
    "['ECONNRESET', 'ECONNREFUSED',",
    { calls: ['create Ficus', 'delete'], present: true, faults: 1 },
  ],
  [
    'a delete of nothing after a lost answer told as 404',
    'plants/store.ts',
    'return true;',
    'return false;',
    { calls: ['delete', 'list'], present: true, faults: 1 },
  ],
];

test.each(faults)('the explorer finds %s', async (what, file, before, after, scenario) => {
  const functions = join(folder, what.replaceAll(' ', '-'), 'functions');
  cpSync(join(root, 'functions'), functions, { recursive: true });
  cpSync(join(root, 'package.json'), join(functions, '../package.json'));
  symlinkSync(join(root, 'node_modules'), join(functions, '../node_modules'));
  const sources = readFileSync(join(functions, file), 'utf8');
  expect(sources.split(before)).toHaveLength(2);
  writeFileSync(join(functions, file), sources.replace(before, after));

  const given = JSON.stringify({ everyError: false, ...scenario });
  const found = await explore('--functions', functions, given);
  const [, replay = ''] = /Replay: npm run explore -- '(.*)'/.exec(found.output) ?? [];
  expect({ ...found, replay }).toMatchObject({ code: 1, replay: expect.stringContaining(',') });

  process.stdout.write(`${what}: ${JSON.parse(replay).schedule.join(' ')}\n`);
  // The schedule shows it again.
  expect(await explore('--functions', functions, replay)).toEqual(found);
});
