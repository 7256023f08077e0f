import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { root } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { openDatabase } from '../../support/database/engine.ts';
import { type Fault, pass, startFaultProxy } from '../../support/database/proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { serve } from '../../support/http/servers.ts';
import { testOnPosix } from '../../support/posix.ts';
import { type Ended, type Program, startProgram } from '../../support/program.ts';

/** CI uses 20,000. */
const many = Number(process.env.PLANTS ?? 1500);
/** Maximum seconds on a busy machine. */
const seconds = 60 + many / 60;

const folder = temporaryFolder();
const { endpoint, database } = await openDatabase();

/** Starts a program. Its stdin stays open. */
function start(program: string, args: string[], to = endpoint): Program {
  const file = join(root, 'bin', program);
  const command = [file, ...args, '--dynamodb-endpoint', to];
  const env = { ...process.env, INIT_CWD: folder };
  return startProgram(process.execPath, command, { env, seconds });
}

function plants(args: string[], stdin = '', to = endpoint): Promise<Ended> {
  const { child, ended } = start('plants.ts', args, to);
  child.stdin.end(stdin);
  return ended();
}

const failure = (text: string) => ({ code: 1, stdout: '', stderr: `error: ${text}\n` });
const linesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const plant = { id: i + 1, name: `Plant ${i + 1} ${'x'.repeat(i % 100)}`, tag: '' };
    return `${JSON.stringify(plant)}\n`;
  });
const pathOf = (name: string) => join(folder, name);
const isLeft = (name: string) => readdirSync(folder).some((file) => file.startsWith(name));

async function hasPlant(client: DynamoDBDocumentClient, owner: string, id: number) {
  const query = new QueryCommand({
    TableName: tableIds.plants,
    KeyConditionExpression: '#owner = :owner AND id >= :id',
    ExpressionAttributeNames: { '#owner': 'owner' },
    ExpressionAttributeValues: { ':owner': owner, ':id': id },
    Limit: 1,
  });
  return (await client.send(query)).Count === 1;
}

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

// 20,000 plants take a minute, and more on a busy machine.
testSignals(
  `${many} plants survive an interrupted import and an interrupted export, and are erased`,
  async () => {
    const lines = linesOf(many);
    writeFileSync(pathOf('all.jsonl'), lines.join(''));

    const importing = start('plants.ts', ['import', '-', '--owner', 'round']);
    // The interrupted program does not read the whole file.
    createReadStream(pathOf('all.jsonl')).pipe(importing.child.stdin, { end: false });
    const isUnderWay = () => hasPlant(database, 'round', many / 10);
    await eventually('a tenth of the plants', isUnderWay, { seconds });
    importing.child.kill('SIGINT');
    const interrupted = await importing.ended();
    expect(interrupted.code).toBe(1);
    const [, told] =
      /^error: interrupted\. (?:The outcome of \d+ writes? is unknown\. )?So far: (\d+) plants created, 0 unchanged/.exec(
        interrupted.stderr,
      ) ?? [undefined, ''];
    const created = Number(told);
    expect(created).toBeGreaterThanOrEqual(many / 20);

    const { code, stderr } = await plants(['import', 'all.jsonl', '--owner', 'round']);
    expect(code).toBe(0);
    const counts = /: (\d+) plants created, (\d+) unchanged\.\n$/.exec(stderr) ?? [];
    const [more, already] = counts.slice(1).map(Number) as [number, number];
    expect(more + already).toBe(many);
    // Writes in progress had an unknown outcome.
    expect(already).toBeGreaterThanOrEqual(created);
    expect(already).toBeLessThanOrEqual(created + 32);

    const exporting = start('plants.ts', ['export', 'back.jsonl', '--owner', 'round']);
    await eventually('the file of an export', () => isLeft('back.jsonl'), { seconds });
    exporting.child.kill('SIGINT');
    await exporting.ended();
    if (!existsSync(pathOf('back.jsonl'))) {
      expect(isLeft('back.jsonl')).toBe(false);
      await plants(['export', 'back.jsonl', '--owner', 'round']);
    }
    expect(readFileSync(pathOf('back.jsonl'), 'utf8') === lines.join('')).toBe(true);

    const erased = await plants(['erase', '--owner', 'round'], 'round\n');
    expect(erased.code).toBe(0);
    expect(erased.stderr).toContain(`Erased 0 access tokens and ${many} plants of round.`);
    expect(await hasPlant(database, 'round', 0)).toBe(false);
  },
  1_800_000,
);

// More than one page, so that an export sends two queries.
const large = { name: '🌵'.repeat(200), tag: '🌵'.repeat(100) };
const all = Array.from({ length: 2000 }, (_, id) => `${JSON.stringify({ id, ...large })}\n`).join(
  '',
);
expect(await plants(['import', '-', '--owner', 'alice'], all)).toMatchObject({ code: 0 });
const proxy = await startFaultProxy();
const slow = proxy.before(endpoint);

const exportTo = (file: string) => ['export', file, '--owner', 'alice'];
/** Returns the path of an export's draft, or '' if there is none. */
function draftOf(file: string): string {
  const name = readdirSync(folder).find((each) => each.startsWith(file) && each.endsWith('.part'));
  return name === undefined ? '' : pathOf(name);
}

/** Starts an export. Calls a function after the first page is written and before the second is sent. */
async function exportAround(file: string, happen: () => unknown): Promise<Program> {
  let isWaiting = false;
  const wait: Fault = async (exchange) => {
    isWaiting = true;
    await happen();
    await pass(exchange);
  };
  proxy.play('alice', pass, wait, pass);
  const exporting = start('plants.ts', exportTo(file), slow);
  const isThere = () => isWaiting && sizeOf(draftOf(file)) > 0;
  await eventually('a page in the draft', isThere);
  return exporting;
}

const sizeOf = (path: string) => (path === '' ? 0 : statSync(path).size);
const forever = () => new Promise(() => {});

testSignals.each<[what: string, signal: NodeJS.Signals]>([
  ['Ctrl-C', 'SIGINT'],
  ['kill', 'SIGTERM'],
  ['a closed terminal', 'SIGHUP'],
])('an export that is interrupted by %s leaves no file', async (_, signal) => {
  const { child, ended } = await exportAround(`${signal}.jsonl`, forever);
  child.kill(signal);
  expect(await ended()).toEqual(failure('interrupted. Nothing was written. Repeat the command.'));
  expect(isLeft(signal)).toBe(false);
});

test('of several exports to one file, one succeeds and the others replace nothing', async () => {
  const results = await Promise.all(
    Array.from({ length: 5 }, () => plants(exportTo('once.jsonl'))),
  );
  expect(results.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1, 1]);
  expect(readFileSync(pathOf('once.jsonl'), 'utf8') === all).toBe(true);
});

test('a file that is created during an export stays, and so does the export', async () => {
  const file = pathOf('mine.jsonl');
  let goOn = () => {};
  const { ended } = await exportAround(
    'mine.jsonl',
    () =>
      new Promise<void>((resolve) => {
        goOn = resolve;
      }),
  );
  const draft = draftOf('mine.jsonl');
  writeFileSync(file, 'mine');
  goOn();
  expect(await ended()).toEqual(
    failure(
      `${file} was created during the export. The plants are in ${draft}. Move it elsewhere.`,
    ),
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(readFileSync(draft, 'utf8') === all).toBe(true);
});

testSignals('an export whose output is closed exits with 0 and prints no error', async () => {
  const { child, ended } = start('plants.ts', exportTo('-'));
  child.stdout.destroy();
  expect(await ended()).toMatchObject({ code: 0, stderr: '' });
});

const noDatabase = 'No database responds at http://[0-9.:]+\\. Start it with "npm start"';
test.each([
  // A write that got no response may have taken effect.
  ['stopped', () => serve(() => {}), 'The outcome of 32 writes is unknown \\(.*\\)\\. So far: '],
  ['gone', async () => 'http://127.0.0.1:1', noDatabase],
])('each program exits with one line if its server is %s', async (_, open, ofImport) => {
  const to = await open();
  const commands: [program: string, args: string[]][] = [
    ['token.ts', ['list']],
    ['plants.ts', exportTo('-')],
    ['plants.ts', ['import', '-', '--owner', 'alice']],
    ['plants.ts', ['erase', '--owner', 'alice']],
  ];
  const began = Date.now();
  const results = await Promise.all(
    commands.map(([program, args]) => {
      const { child, ended } = start(program, args, to);
      child.stdin.end(all);
      return ended();
    }),
  );
  const starts = [noDatabase, noDatabase, ofImport, noDatabase];
  expect(results).toEqual(
    starts.map((start) => ({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(`^error: ${start}.*\\n$`),
    })),
  );
  expect(Date.now() - began).toBeLessThan(30_000);
});

test('an import whose server dies reports the unknown outcomes at once', async () => {
  const dying = await startFaultProxy();
  const to = dying.before(endpoint);
  let writes = 0;
  dying.play('dying', async (exchange) => {
    writes += 1;
    if (writes === 100) {
      dying.stop();
    } else {
      await pass(exchange);
    }
  });
  const { code, stderr } = await plants(['import', '-', '--owner', 'dying'], all, to);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: The outcome of \d+ writes? is unknown \(.*\)\. (?:No database responds at .*\. )?So far: \d+ plants created, 0 unchanged\. Repeat the command\.\n$/,
  );
});
