import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { root } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { openDatabase } from '../../support/database/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { serve } from '../../support/http/servers.ts';
import { makeBody } from '../../support/plant.ts';
import { testOnPosix } from '../../support/posix.ts';
import { type Ended, type Program, startProgram } from '../../support/program.ts';

/** With long names, they fill three pages of DynamoDB. */
const many = 4000;

const folder = temporaryFolder();
const { endpoint, database } = await openDatabase();

/** Starts a program of bin/ by its command line. Its stdin stays open. */
function start(line: string, to = endpoint, env = {}): Program {
  const [program = '', ...args] = line.split(' ');
  const command = [join(root, 'bin', program), ...args, '--dynamodb-endpoint', to];
  return startProgram(process.execPath, command, {
    env: { ...process.env, INIT_CWD: folder, ...env },
  });
}

function run(line: string, stdin = ''): Promise<Ended> {
  const { child, ended } = start(line);
  child.stdin.end(stdin);
  return ended();
}

const makeLines = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    return `${makeBody(i + 1, `${i + 1} ${'🌵'.repeat(190)}`)}\n`;
  });
const toPath = (name: string) => join(folder, name);
const hasDraft = () => readdirSync(folder).some((file) => file.endsWith('.part'));

/** Returns whether `round` has a plant with this id or above. */
async function hasPlant(id: number): Promise<boolean> {
  const query = new QueryCommand({
    TableName: tableIds.plants,
    KeyConditionExpression: '#owner = :owner AND id >= :id',
    ExpressionAttributeNames: { '#owner': 'owner' },
    ExpressionAttributeValues: { ':owner': 'round', ':id': id },
    Limit: 1,
  });
  return (await database.send(query)).Count === 1;
}

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals(
  `${many} plants survive an interrupted import and an interrupted export, and are erased`,
  async () => {
    const lines = makeLines(many);
    writeFileSync(toPath('all.jsonl'), lines.join(''));

    const importing = start('plants.ts import - --owner round');
    // The interrupted program does not read the whole file.
    createReadStream(toPath('all.jsonl')).pipe(importing.child.stdin, { end: false });
    await eventually('a tenth of the plants', () => hasPlant(many / 10));
    importing.child.kill('SIGINT');
    const interrupted = await importing.ended();
    expect(interrupted.code).toBe(1);
    const [, told] =
      /^error: interrupted\. (?:The outcome of \d+ writes? is unknown\. )?So far: (\d+) plants created, 0 unchanged/m.exec(
        interrupted.stderr,
      ) ?? [undefined, ''];
    const created = Number(told);
    expect(created).toBeGreaterThanOrEqual(many / 20);

    const imported = await run('plants.ts import all.jsonl --owner round');
    expect(imported).toMatchObject({ code: 0, stdout: '' });
    const counts = /: (\d+) plants created, (\d+) unchanged\.\n$/.exec(imported.stderr) ?? [];
    const [more, already] = counts.slice(1).map(Number) as [number, number];
    expect(more + already).toBe(many);
    // Writes in progress had an unknown outcome.
    expect(already).toBeGreaterThanOrEqual(created);
    expect(already).toBeLessThanOrEqual(created + 32);

    const exporting = start('plants.ts export back.jsonl --owner round');
    const isWritten = () => existsSync(toPath('back.jsonl'));
    await eventually('the file of an export', () => hasDraft() || isWritten());
    exporting.child.kill('SIGINT');
    await exporting.ended();
    if (!isWritten()) {
      expect(hasDraft()).toBe(false);
      await run('plants.ts export back.jsonl --owner round');
    }
    expect(readFileSync(toPath('back.jsonl'), 'utf8') === lines.join('')).toBe(true);

    const erased = await run('plants.ts erase --owner round', 'round\n');
    expect(erased.code).toBe(0);
    expect(erased.stderr).toContain(`Erased 0 access tokens and ${many} plants of round.`);
    expect(await hasPlant(0)).toBe(false);
  },
);

const all = makeLines(2000).join('');
expect(await run('plants.ts import - --owner alice', all)).toMatchObject({ code: 0 });

testSignals('an export whose output is closed exits with 0 and prints no error', async () => {
  const { child, ended } = start('plants.ts export - --owner alice');
  child.stdout.destroy();
  expect(await ended()).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Using the .*\n$/),
  });
});

test('an import exits with one line if its server never responds', async () => {
  // Without the stopped clock of tests.
  const running = start('plants.ts import - --owner alice', await serve(() => {}), {
    NODE_OPTIONS: '',
  });
  running.child.stdin.end(all);
  expect(await running.ended()).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^error: No database responds at http:[0-9.:/]+\. Start it with "npm start".*\n$/,
    ),
  });
});
