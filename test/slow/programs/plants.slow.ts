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

/** With long names, they fill three pages of DynamoDB. */
const many = 4000;

const folder = temporaryFolder();
const { endpoint, database } = await openDatabase();

/** Starts a program. Its stdin stays open. */
function start(program: string, args: string[], to = endpoint): Program {
  const file = join(root, 'bin', program);
  const command = [file, ...args, '--dynamodb-endpoint', to];
  return startProgram(process.execPath, command, {
    env: { ...process.env, INIT_CWD: folder },
  });
}

function plants(args: string[], stdin = '', to = endpoint): Promise<Ended> {
  const { child, ended } = start('plants.ts', args, to);
  child.stdin.end(stdin);
  return ended();
}

const failure = (text: string) => ({ code: 1, stdout: '', stderr: `error: ${text}\n` });
const makeLines = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const plant = { id: i + 1, name: `${i + 1} ${'🌵'.repeat(190)}`, tag: '' };
    return `${JSON.stringify(plant)}\n`;
  });
const toPath = (name: string) => join(folder, name);
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

testSignals(
  `${many} plants survive an interrupted import and an interrupted export, and are erased`,
  async () => {
    const lines = makeLines(many);
    writeFileSync(toPath('all.jsonl'), lines.join(''));

    const importing = start('plants.ts', ['import', '-', '--owner', 'round']);
    // The interrupted program does not read the whole file.
    createReadStream(toPath('all.jsonl')).pipe(importing.child.stdin, { end: false });
    const isUnderWay = () => hasPlant(database, 'round', many / 10);
    await eventually('a tenth of the plants', isUnderWay);
    importing.child.kill('SIGINT');
    const interrupted = await importing.ended();
    expect(interrupted.code).toBe(1);
    const [, told] =
      /^error: interrupted\. (?:The outcome of \d+ writes? is unknown\. )?So far: (\d+) plants created, 0 unchanged/.exec(
        interrupted.stderr,
      ) ?? [undefined, ''];
    const created = Number(told);
    expect(created).toBeGreaterThanOrEqual(many / 20);

    const imported = await plants(['import', 'all.jsonl', '--owner', 'round']);
    expect(imported).toMatchObject({ code: 0, stdout: '' });
    const counts = /: (\d+) plants created, (\d+) unchanged\.\n$/.exec(imported.stderr) ?? [];
    const [more, already] = counts.slice(1).map(Number) as [number, number];
    expect(more + already).toBe(many);
    // Writes in progress had an unknown outcome.
    expect(already).toBeGreaterThanOrEqual(created);
    expect(already).toBeLessThanOrEqual(created + 32);

    const exporting = start('plants.ts', ['export', 'back.jsonl', '--owner', 'round']);
    await eventually('the file of an export', () => isLeft('back.jsonl'));
    exporting.child.kill('SIGINT');
    await exporting.ended();
    if (!existsSync(toPath('back.jsonl'))) {
      expect(isLeft('back.jsonl')).toBe(false);
      await plants(['export', 'back.jsonl', '--owner', 'round']);
    }
    expect(readFileSync(toPath('back.jsonl'), 'utf8') === lines.join('')).toBe(true);

    const erased = await plants(['erase', '--owner', 'round'], 'round\n');
    expect(erased.code).toBe(0);
    expect(erased.stderr).toContain(`Erased 0 access tokens and ${many} plants of round.`);
    expect(await hasPlant(database, 'round', 0)).toBe(false);
  },
);

// More than one page, so that an export sends two queries.
const large = { name: '🌵'.repeat(200), tag: '🌵'.repeat(100) };
const all = Array.from({ length: 2000 }, (_, id) => `${JSON.stringify({ id, ...large })}\n`).join(
  '',
);
expect(await plants(['import', '-', '--owner', 'alice'], all)).toMatchObject({ code: 0 });

const exportTo = (file: string) => ['export', file, '--owner', 'alice'];
const readSize = (name: string) => statSync(toPath(name)).size;

test('a file that is created during an export stays, and so does the export', async () => {
  const file = toPath('mine.jsonl');
  const proxy = await startFaultProxy();
  const goOn = Promise.withResolvers<void>();
  // The first page is written, and the second is not read yet.
  const wait: Fault = async (exchange) => {
    await goOn.promise;
    await pass(exchange);
  };
  proxy.play('alice', pass, wait, pass);
  const { ended } = start('plants.ts', exportTo('mine.jsonl'), proxy.before(endpoint));
  const findDraft = () =>
    readdirSync(folder).find((name) => /^mine\.jsonl.*\.part$/.test(name) && readSize(name) > 0);
  const draft = toPath(`${await eventually('a page in the draft', findDraft)}`);
  writeFileSync(file, 'mine');
  goOn.resolve();
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
  { line: 'token.ts list', error: noDatabase },
  { line: 'plants.ts export - --owner alice', error: noDatabase },
  // A write that got no response may have taken effect.
  {
    line: 'plants.ts import - --owner alice',
    concurrency: 32,
    error: 'The outcome of 32 writes is unknown \\(.*\\)\\. So far: ',
  },
  { line: 'plants.ts erase --owner alice', error: noDatabase },
])(
  '$line exits with one line if its server never responds',
  async ({ line, concurrency = 1, error }) => {
    const [program = '', ...args] = line.split(' ');
    let waiting = 0;
    const silent = await serve(() => {
      waiting += 1;
      // All writes come first. The SDK decides how often it sends each of the reads after them.
      if (waiting >= concurrency) {
        running.child.send(3000);
      }
    });
    const running = start(program, args, silent);
    running.child.stdin.end(all);
    expect(await running.ended()).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(`^error: ${error}.*\\n$`),
    });
  },
);

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
