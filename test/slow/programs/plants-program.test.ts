import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Plant } from '../../../functions/plants/plant.ts';
import { type PlantStore, plantStore } from '../../../functions/plants/store.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import {
  type Fault,
  loseAnswer,
  pass,
  reset,
  say,
  startFaultProxy,
  throttle,
} from '../../support/database/proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { type Content, label, plantOf, sent, whole } from '../../support/plant.ts';
import { testOnPosix } from '../../support/posix.ts';
import { line, linesOf, many, plantsProgram, seconds, success } from './plants-program.ts';

const { tables, start, plants, file } = await plantsProgram();
const store: PlantStore = plantStore(tables.database, tableIds.plants);

const all = (owner: string): Promise<Plant[]> => store.list(owner, 1000, undefined);
const words = tableIds.plants.replace(/\B[A-Z]/g, ' $&').toLowerCase();

// A hundred thousand take a few minutes, and more on a busy machine.
const testSignals = testOnPosix('a process cannot handle the signals of another one there');
testSignals(
  `${many} plants are the same after a round trip interrupted on both ways`,
  async () => {
    const lines = linesOf(many);
    const half = lines.slice(0, many / 2);
    writeFileSync(file('all.jsonl'), lines.join(''));

    const importing = start(['import', '--owner', 'round']);
    // The interrupted program does not read all of it.
    importing.child.stdin.write(half.join(''));
    const hasTenth = async () => (await store.list('round', 1, BigInt(many / 10))).length > 0;
    await eventually('a tenth of the plants', hasTenth, { seconds });
    importing.child.kill('SIGINT');
    const interrupted = await importing.ended();
    expect(interrupted.code).toBe(1);
    expect(interrupted.stderr).toMatch(
      /^error: interrupted: \d+ plants created, 0 there already. Repeat the command to continue.\n$/,
    );
    const created = Number(/\d+/.exec(interrupted.stderr)?.[0]);
    expect(created).toBeGreaterThanOrEqual(many / 10);
    expect(await plants(['import', '--owner', 'round', 'all.jsonl'])).toEqual(
      success(`Imported for round: ${many - created} plants created, ${created} there already.\n`),
    );

    const exportArgs = ['export', '--owner', 'round', 'back.jsonl'];
    const exporting = start(exportArgs);
    const isExporting = () => readdirSync(file('')).some((name) => name.startsWith('back.jsonl'));
    await eventually('the file of an export', isExporting);
    exporting.child.kill('SIGINT');
    await exporting.ended();
    if (!existsSync(file('back.jsonl'))) {
      await plants(exportArgs);
    }
    expect(readFileSync(file('back.jsonl'), 'utf8') === lines.join('')).toBe(true);
  },
  1_800_000,
);

test('ids keep every digit and texts every character, by way of stdout and stdin', async () => {
  const lines = [
    line(-(2n ** 63n), 'smallest \u2028 "\\'),
    line(9007199254740993n, '\u{1F335} e\u0301'),
    line(2n ** 63n - 1n, 'largest'),
  ].join('');
  expect(await plants(['import', '--owner', 'exact'], lines)).toMatchObject({ code: 0 });
  const exported = await plants(['export', '--owner', 'exact']);
  expect(exported).toEqual(success('Exported 3 plants of exact.\n', lines));
  expect((await plants(['export', '--owner', 'without'])).stdout).toBe('');
});

test('a - stands for stdout and stdin', async () => {
  const lines = line(1);
  expect(await plants(['import', '--owner', 'dash', '-'], lines)).toMatchObject({ code: 0 });
  const exported = await plants(['export', '--owner', 'dash', '-']);
  expect(exported).toEqual(success('Exported 1 plant of dash.\n', lines));
});

test('an import reads what Windows writes: a byte order mark, and CR LF', async () => {
  writeFileSync(file('windows.jsonl'), `\uFEFF${line(1)}${line(2)}`.replaceAll('\n', '\r\n'));
  expect(await plants(['import', '--owner', 'windows', 'windows.jsonl'])).toEqual(
    success('Imported for windows: 2 plants created, 0 there already.\n'),
  );
});

test('an import stores only what the API would, and names every other line', async () => {
  await store.create('strict', { id: 1n, ...whole });
  const lines = [
    sent(1),
    sent(1, whole),
    '',
    `${sent('2.0')}\r`,
    sent('"3"', { [label]: '', unknown: [] } as Partial<Content>),
    sent('4,"id":4', { [label]: '\0' }),
    sent('9223372036854775808', { [label]: undefined as never }),
    '[]',
    'id,a,b',
    sent(5),
    // It is refused in linear time.
    sent(6) + ' '.repeat(40_000_000),
    sent(7, { '\u009b2J\u202e': 1 } as Partial<Content>),
  ];
  const text = lines.join('\n');
  const { code, stdout, stderr } = await plants(['import', '--owner', 'strict'], text);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const reasons = stderr.trim().split('\n');
  expect(reasons.slice(0, -1).sort()).toEqual([
    'line 11: it is longer than 16384 bytes',
    'line 12: "\\u009b2J\\u202e" is unknown',
    'line 1: another plant has the id 1; it stays as it is',
    'line 5: "unknown" is unknown; id must be an integer; ' +
      `${label} must be 1 to 200 code points long`,
    `line 6: "id" must occur only once; ${label} must be well-formed Unicode ` +
      'without control characters and without U+FFFD',
    `line 7: id must be at most 9223372036854775807; ${label} is required`,
    'line 8: it is not a JSON object',
    'line 9: it is not a JSON object',
  ]);
  expect(reasons.at(-1)).toBe(
    'error: 2 plants created, 1 there already, 1 in conflict, 7 invalid.',
  );
  expect(await all('strict')).toEqual([{ id: 1n, ...whole }, plantOf(2n), plantOf(5n)]);
}, 20_000);

const proxy = await startFaultProxy();
const faulty = proxy.before(tables.endpoint);
/** The database executes the command, another caller acts, and the answer is lost. */
const loseAnswerAfter =
  (act: (owner: string) => Promise<unknown>): Fault =>
  async ({ subject, forward, socket }) => {
    await forward();
    await act(subject);
    socket.resetAndDestroy();
  };
const named = (name: string) => plantOf(1n, { [label]: name });
const gone = loseAnswerAfter((owner) => store.remove(owner, 1n));
const there = loseAnswerAfter((owner) => store.create(owner, named('Ficus')));
const busy = Array(4).fill(throttle);
const puts = 'PutItem PutItem PutItem PutItem PutItem';
const looking = [pass, pass, pass, pass];
const looks = 'Scan Query Scan Query DeleteItem';
const looksAgain = 'Scan Scan Query Query Query Scan Query DeleteItem';

let owners = 0;
test.each<[command: string, what: string, faults: Fault[], seen: string, left: string]>([
  ['import', 'finds its plant after a lost answer', [loseAnswer], 'PutItem GetItem', 'Aloe'],
  ['import', 'brings no plant back that was deleted', [gone], 'PutItem GetItem', ''],
  ['import', 'knows nothing by an empty answer', [say('', 'not done')], 'PutItem GetItem', ''],
  ['import', 'waits for a busy database', busy, puts, 'Aloe'],
  ['import --only-writer', 'goes on', [reset], 'PutItem GetItem PutItem', 'Aloe'],
  ['erase', 'leaves a plant that was created', [...looking, there], `${looks} GetItem`, 'Ficus'],
  ['erase', 'repeats a read', [reset, pass, reset, reset], looksAgain, ''],
  ['erase --only-writer', 'goes on', [...looking, reset], `${looks} GetItem DeleteItem`, ''],
])('%s %s, and can be repeated', async (command, _, faults, seen, left) => {
  owners += 1;
  const owner = `owner${owners}`;
  const isImport = command.startsWith('import');
  if (!isImport) {
    await store.create(owner, named('Aloe'));
  }
  const run = (endpoint?: string) => {
    const input = isImport ? line(1) : `${owner}\n`;
    return plants([...command.split(' '), '--owner', owner], input, endpoint);
  };
  proxy.play(owner, ...faults, pass);
  const { code, stderr } = await run(faulty);
  expect(proxy.seen(owner).join(' ')).toBe(seen);
  expect((await all(owner)).map(({ name }) => name).join()).toBe(left);
  const soFar = isImport
    ? '0 plants created, 0 there already'
    : `0 access tokens and 0 ${words} erased`;
  const stopped =
    `error: It is unknown whether a write took effect. So far: ${soFar}. Repeat the command to ` +
    `continue. If no other caller writes plants of ${owner}, add --only-writer: the command then ` +
    'repeats such a write by itself.\n';
  const isDone = left === (isImport ? 'Aloe' : '');
  expect(code).toBe(isDone ? 0 : 1);
  expect(stderr).toContain(isDone ? `${isImport ? 'Imported' : 'Erased'} ` : stopped);
  expect(await run()).toMatchObject({ code: 0 });
});

test.each([
  [['export', '--owner', 'a b'], 'It is 1 to 128 letters, digits and . _ @ -'],
  [['import', '--owner', 'ann', 'none.jsonl'], 'none.jsonl. Name one that is there.'],
  [['import', '--owner', 'ann', '.'], ' is a folder. Name a file.'],
  [['export', '--owner', 'ann', 'missing/plants.jsonl'], 'ENOENT'],
])('%j is a mistake that gets one line', async (args, words) => {
  const { code, stdout, stderr } = await plants(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
});
