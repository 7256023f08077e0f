import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { issueToken, listTokens } from '../../../bin/administration/access-tokens.ts';
import { type Plant, plantKind } from '../../../functions/plants/plant.ts';
import { type PlantStore, plantStore } from '../../../functions/plants/store.ts';
import { allScopes } from '../../../functions/shared/operations.ts';
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
import { line, linesOf, many, plantsProgram, seconds, success } from './plants-program.ts';

/** A hundred thousand take a few minutes, and more on a busy machine. */
const roundTripTimeout = 1_800_000;
const { tables, start, plants, file } = await plantsProgram();
const store: PlantStore = plantStore(tables.database, tableIds.plants);

const all = (owner: string): Promise<Plant[]> => store.list(owner, 1000, undefined);
const issue = (owner: string) => {
  const given = { owner, scopes: allScopes, label: '', expires: undefined };
  return issueToken(tables.database, tableIds.accessTokens, given);
};

const words = tableIds.plants.replace(/\B[A-Z]/g, ' $&').toLowerCase();

test(
  `${many} plants are the same after a round trip that was interrupted on both ways`,
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

    const exporting = start(['export', '--owner', 'round', 'back.jsonl']);
    await eventually(
      'the file of an export',
      () => existsSync(file('back.jsonl.part')) || existsSync(file('back.jsonl')),
    );
    exporting.child.kill('SIGINT');
    await exporting.ended();
    if (!existsSync(file('back.jsonl'))) await plants(['export', '--owner', 'round', 'back.jsonl']);
    expect(readFileSync(file('back.jsonl'), 'utf8') === lines.join('')).toBe(true);
    // Other users of the machine cannot read it.
    expect(statSync(file('back.jsonl')).mode & 0o777).toBe(0o600);
  },
  roundTripTimeout,
);

test('ids keep every digit and texts every character, by way of stdout and stdin', async () => {
  const lines = [
    line(-(2n ** 63n), 'smallest', '\u2028 "\\'),
    line(9007199254740993n, '\u{1F335} e\u0301', ''),
    line(2n ** 63n - 1n, 'largest'),
  ].join('');
  expect(await plants(['import', '--owner', 'exact'], lines)).toMatchObject({ code: 0 });
  const exported = await plants(['export', '--owner', 'exact']);
  expect(exported).toEqual(success('Exported 3 plants of exact.\n', lines));
  expect((await plants(['export', '--owner', 'without'])).stdout).toBe('');
});

test('an import stores only what the API would, and names every other line', async () => {
  await store.create('strict', plantKind.parse({ id: 1n, name: 'Aloe', tag: 'old' }));
  const lines = [
    '{"id":1,"name":"Aloe","tag":"new"}',
    '{"id":1,"name":"Aloe","tag":"old"}',
    '',
    '{"id":2.0,"name":"Ficus"}\r',
    '{"id":"3","name":"","tags":[]}',
    '{"id":4,"id":4,"name":"\\u0000"}',
    '{"id":9223372036854775808}',
    '[]',
    'id,name,tag',
    '{"id":5,"name":"Fern"}',
  ];
  const text = lines.join('\n');
  const { code, stdout, stderr } = await plants(['import', '--owner', 'strict'], text);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const reasons = stderr.trim().split('\n');
  expect(reasons.slice(0, -1).sort()).toEqual([
    'line 1: another plant has the id 1; it stays as it is',
    'line 5: "tags" is not a member of a plant; id must be an integer; ' +
      'name must be 1 to 200 code points long',
    'line 6: "id" must occur only once; name must be well-formed Unicode ' +
      'without control characters and without U+FFFD',
    'line 7: id must be at most 9223372036854775807; name is required',
    'line 8: it is not a JSON object',
    'line 9: it is not a JSON object',
  ]);
  expect(reasons.at(-1)).toBe(
    'error: 2 plants created, 1 there already, 1 in conflict, 5 invalid.',
  );
  expect(await all('strict')).toEqual([
    plantKind.parse({ id: 1n, name: 'Aloe', tag: 'old' }),
    plantKind.parse({ id: 2n, name: 'Ficus' }),
    plantKind.parse({ id: 5n, name: 'Fern' }),
  ]);
});

const proxy = await startFaultProxy();
const faulty = proxy.before(tables.endpoint);
const gone = (owner: string) => async () => expect(await store.remove(owner, 1n)).toBe(true);
const there = (owner: string) => async () =>
  expect(await store.create(owner, plantKind.parse({ id: 1n, name: 'Ficus' }))).toBe('created');
/** The database executes the command, another caller acts, and the answer is lost. */
const loseAnswerAfter =
  (act: () => Promise<unknown>): Fault =>
  async (exchange) => {
    await exchange.forward();
    await act();
    exchange.socket.resetAndDestroy();
  };
/** Returns the expected result of a command that met a write whose outcome is unknown. */
const stopped = (owner: string, soFar: string) => ({
  code: 1,
  stdout: '',
  stderr:
    'error: It is unknown whether a write took effect. ' +
    `So far: ${soFar}. Repeat the command to continue. If no other caller writes plants of ` +
    `${owner}, add --only-writer: the command then repeats such a write by itself.\n`,
});

test('an import whose answer got lost finds its own plant', async () => {
  proxy.play('lost', loseAnswer, pass);
  const result = await plants(['import', '--owner', 'lost'], line(1), faulty);
  expect(result).toEqual(success('Imported for lost: 1 plant created, 0 there already.\n'));
  expect(proxy.seen('lost')).toEqual(['PutItem', 'GetItem']);
});

test('an import does not bring back what another caller deleted, and can be repeated', async () => {
  proxy.play('back', pass, loseAnswerAfter(gone('back')), pass);
  await plants(['import', '--owner', 'back'], line(2), faulty);
  const result = await plants(['import', '--owner', 'back'], line(1), faulty);
  expect(result).toEqual(stopped('back', '0 plants created, 0 there already'));
  expect(proxy.seen('back')).toEqual(['PutItem', 'PutItem', 'GetItem']);
  expect(await all('back')).toMatchObject([{ id: 2n }]);
  expect(await plants(['import', '--owner', 'back'], line(1), faulty)).toMatchObject({
    code: 0,
  });
});

test('an erasure does not delete what another caller created, and can be repeated', async () => {
  await plants(['import', '--owner', 'anew'], line(1));
  const read = [pass, pass, pass, pass];
  proxy.play('anew', ...read, loseAnswerAfter(there('anew')), pass);
  const result = await plants(['erase', '--owner', 'anew'], 'anew\n', faulty);
  expect(result.code).toBe(1);
  expect(
    result.stderr.endsWith(stopped('anew', `0 access tokens and 0 ${words} erased`).stderr),
  ).toBe(true);
  expect(proxy.seen('anew')).toEqual(['Scan', 'Query', 'Scan', 'Query', 'DeleteItem', 'GetItem']);
  expect(await all('anew')).toMatchObject([{ name: 'Ficus' }]);
  expect(await plants(['erase', '--owner', 'anew'], 'anew\n')).toMatchObject({ code: 0 });
});

test.each([
  ['import', 'sole', [reset], 'PutItem GetItem PutItem'],
  [
    'erase',
    'sole',
    [pass, pass, pass, pass, reset],
    'Scan Query Scan Query DeleteItem GetItem DeleteItem',
  ],
])('the only writer can let an %s go on', async (command, owner, faults, commands) => {
  proxy.play(owner, ...faults, pass);
  const before = proxy.seen(owner).length;
  const args = [command, '--owner', owner, '--only-writer'];
  const { code } = await plants(args, command === 'erase' ? `${owner}\n` : line(1), faulty);
  expect(code).toBe(0);
  expect(proxy.seen(owner).slice(before).join(' ')).toBe(commands);
});

test('an import does not take an empty answer for a success', async () => {
  proxy.play('empty', say('', 'not done'), pass);
  const result = await plants(['import', '--owner', 'empty'], line(1), faulty);
  expect(result).toEqual(stopped('empty', '0 plants created, 0 there already'));
});

test('a write that is throttled is repeated, and a read always', async () => {
  proxy.play('busy', ...Array(4).fill(throttle), pass);
  expect(await plants(['import', '--owner', 'busy'], line(1), faulty)).toMatchObject({
    code: 0,
  });
  proxy.play('busy', reset, pass, reset, reset, pass);
  expect(await plants(['erase', '--owner', 'busy'], 'busy\n', faulty)).toMatchObject({
    code: 0,
  });
  expect(await all('busy')).toEqual([]);
});

test('a line of an import that is too long is refused in linear time', async () => {
  const long = `{"id":1,"name":"Aloe"${' '.repeat(40_000_000)}}\n`;
  const { code, stderr } = await plants(['import', '--owner', 'long'], long + line(2));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'line 1: it is longer than 16384 bytes\n' +
      'error: 1 plant created, 0 there already, 0 in conflict, 1 invalid.\n',
  });
}, 20_000);

test('erase removes the plants and tokens of one owner, once their name is typed', async () => {
  await plants(['import', '--owner', 'gone'], linesOf(40).join(''));
  await plants(['import', '--owner', 'gone2'], line(1));
  await issue('gone');
  await issue('gone2');
  const question =
    `${tables.endpoint}: gone has 1 access token and 40 ${words}.\n` +
    'Type "gone" to erase them for good: ';

  for (const answer of ['gone2\n', 'y\n', '']) {
    const refused = await plants(['erase', '--owner', 'gone'], answer);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr.startsWith(question)).toBe(true);
    expect(refused.stderr.endsWith('error: nothing is erased.\n')).toBe(true);
  }
  expect(await all('gone')).toHaveLength(40);

  const erased = await plants(['erase', '--owner', 'gone'], 'gone\n');
  expect(erased).toMatchObject({ code: 0, stdout: '' });
  expect(erased.stderr).toContain(`Erased 1 access token and 40 ${words} of gone.`);
  expect(await all('gone')).toEqual([]);
  expect(await listTokens(tables.database, tableIds.accessTokens, 'gone')).toEqual([]);
  expect(await all('gone2')).toHaveLength(1);
  expect(await listTokens(tables.database, tableIds.accessTokens, 'gone2')).toHaveLength(1);
});

test.each([
  [['export'], "required option '--owner <name>' not specified"],
  [['erase', '--owner', '--localhost'], 'Put a value before --localhost.'],
  [['export', '--owner', 'a b'], 'It is 1 to 128 letters, digits and . _ @ -'],
  [['import', '--owner', 'ann', 'none.jsonl'], 'There is no file '],
  [['delete', '--owner', 'ann'], "unknown command 'delete'"],
])('%j is a mistake that gets one line', async (args, words) => {
  const { code, stdout, stderr } = await plants(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
});
