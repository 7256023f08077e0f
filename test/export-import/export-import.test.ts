import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, jest, test } from '@jest/globals';
import { eraseCommand } from '../../bin/plants/erase.ts';
import { exportCommand } from '../../bin/plants/export.ts';
import { importCommand } from '../../bin/plants/import.ts';
import { fromLine } from '../../bin/plants/lines.ts';
import { progressBar } from '../../bin/plants/progress-bar.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { tableOf } from '../docs/page.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openTables } from '../support/database/open-database.ts';
import { writePlants } from '../support/database/plants-table.ts';
import { loseAnswer, pass, startFaultProxy } from '../support/database/proxy.ts';
import { answered } from '../support/plant.ts';

const { endpoint, database } = await openTables();
const target = { localhost: true, dynamodbEndpoint: endpoint } as const;
const optionsOf = (owner: string) => ({ ...target, owner, onlyWriter: false });
afterEach(() => {
  jest.restoreAllMocks();
});

test.each([0, 1, 1000, 1001])('an export has every one of %i plants', async (count) => {
  const owner = `owner-of-${count}`;
  const plants = Array.from({ length: count }, (_, i) => ({ id: i + 1, ...answered() }));
  const requests = plants.map((plant) => ({ PutRequest: { Item: { owner, ...plant } } }));
  await writePlants(database, requests);
  const said = jest.spyOn(console, 'error').mockReturnValue();
  // It is read at the end, so it must hold everything.
  const output = new PassThrough({ highWaterMark: 2 ** 30 });
  jest.spyOn(process, 'stdout', 'get').mockReturnValue(output as never);
  const file = join(temporaryFolder(), 'plants.jsonl');
  await exportCommand(file, optionsOf(owner));
  await exportCommand(undefined, optionsOf(owner));

  const lines = plants.map((plant) => `${JSON.stringify(plant)}\n`).join('');
  expect(readFileSync(file, 'utf8')).toBe(lines);
  expect(`${output.read() ?? ''}`).toBe(lines);
  const message = `Exported ${count === 1 ? '1 plant' : `${count} plants`} of ${owner}.`;
  expect(said.mock.calls).toEqual([[message], [message]]);
});

test('a line is read as a create is, and every fault of it is named', () => {
  expect(fromLine('{"id":7,"name":"Aloe"}')).toEqual({ id: 7n, name: 'Aloe', tag: '' });
  expect(() => fromLine('{"id":"7","id":7.5,"tag":"","nmae":"Aloe"}')).toThrow(
    '"id" must occur only once; "nmae" is unknown; id must be an integer; name is required',
  );
});

test('docs/export-import.md asks for the rights that the commands use', async () => {
  jest.spyOn(console, 'error').mockReturnValue();
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const typed = new PassThrough().end('zoe\n');
  jest.spyOn(process, 'stdin', 'get').mockReturnValue(typed as never);
  const proxy = await startFaultProxy();
  const through = { ...optionsOf('zoe'), dynamodbEndpoint: proxy.before(endpoint) };
  const file = join(temporaryFolder(), 'plants.jsonl');
  const used: Record<string, string[]> = {};
  let before = 0;
  const note = (command: string) => {
    const seen = proxy.seen('zoe');
    used[command] = [...new Set(seen.slice(before))].sort();
    before = seen.length;
  };

  writeFileSync(file, `${JSON.stringify({ id: 1, ...answered() })}\n`);
  await importCommand(file, through);
  // The second one reads the plant that is there.
  await importCommand(file, through);
  note('import');
  await exportCommand(`${file}.back`, through);
  note('export');
  const token = { id: 'token of zoe', owner: 'zoe' };
  await database.send(new PutCommand({ TableName: tableIds.accessTokens, Item: token }));
  // The erasure has to look whether the plant is gone.
  proxy.play('zoe', (exchange) =>
    proxy.seen('zoe').at(-1) === 'DeleteItem' ? loseAnswer(exchange) : pass(exchange),
  );
  await eraseCommand(through);
  note('erase');

  const asked = tableOf('docs/export-import.md', 'command').map(([command = '', ...rights]) => [
    command.replaceAll('`', ''),
    [...new Set([...rights.join().matchAll(/dynamodb:(\w+)/g)].map(([, action]) => action))].sort(),
  ]);
  expect(Object.fromEntries(asked)).toEqual(used);
  expect(proxy.seen(token.id)).toEqual(['DeleteItem']);
});

test('a progress bar shows how much is done, how fast and for how long, on a terminal', () => {
  const shown = (isTTY: boolean, share?: number) => {
    const { isTTY: before } = process.stderr;
    process.stderr.isTTY = isTTY;
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const bar = progressBar('Importing');
    bar.show(25_000, share);
    bar.clear();
    const text = write.mock.calls.map(([more]) => more).join('');
    write.mockRestore();
    process.stderr.isTTY = before;
    return text;
  };
  expect(shown(true, 0.25)).toMatch(
    /^\r.\[KImporting █{6}░{18} 25 % · 25,000 plants, [\d,]+ a second, \d+ s left\r.\[K$/,
  );
  expect(shown(true)).toMatch(/^\r.\[KImporting 25,000 plants, [\d,]+ a second\r.\[K$/);
  expect(shown(false, 0.5)).toBe('');
});
