import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openTables } from '../../support/database/open-database.ts';
import { type Fault, pass, startFaultProxy } from '../../support/database/proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { linesOf, plantsProgram, success } from './plants-program.ts';

/** An export asks for them in two queries. */
const lines = linesOf(1100);
const all = lines.join('');
const program = await plantsProgram();
const proxy = await startFaultProxy();
const endpoint = proxy.before(program.tables.endpoint);
beforeAll(async () => {
  expect(await program.plants(['import', '--owner', 'alice'], all)).toMatchObject({ code: 0 });
});

let tests = 0;
/** The file of one test. */
let file: string;
let part: string;
beforeEach(() => {
  tests += 1;
  file = program.file(`plants${tests}.jsonl`);
  part = `${file}.part`;
});

const exportOf = (owner: string, from = endpoint) =>
  program.plants(['export', '--owner', owner, file], '', from);
const refusal = (text: string) => ({ code: 1, stdout: '', stderr: `error: ${text}\n` });
const isWhole = (path = file) => readFileSync(path, 'utf8') === all;
/** Exports all plants, and compares the file with them. */
async function expectExport(exporting = exportOf('alice')) {
  expect(await exporting).toEqual(success('Exported 1100 plants of alice.\n'));
  expect(isWhole()).toBe(true);
}
const written = () => {
  const unfinished = existsSync(part) && readdirSync(part).find((one) => /^\d+\.jsonl$/.test(one));
  return unfinished ? join(part, unfinished) : undefined;
};

/** Starts an export. Once it has written a page, something happens before it gets the next one. */
async function exportAround(happen: () => unknown) {
  let isWaiting = false;
  const wait: Fault = async (exchange) => {
    isWaiting = true;
    await happen();
    await pass(exchange);
  };
  proxy.play('alice', pass, wait, pass);
  const exporting = program.start(['export', '--owner', 'alice', file], endpoint);
  const page = Buffer.byteLength(lines.slice(0, 1000).join(''));
  const isThere = () => isWaiting && statSync(written() ?? import.meta.filename).size >= page;
  await eventually('a page in the unfinished file', isThere);
  return exporting;
}

async function interruptedExport(signal: NodeJS.Signals = 'SIGKILL') {
  const { child, ended } = await exportAround(() => new Promise(() => {}));
  child.kill(signal);
  return { path: written() ?? '', result: await ended() };
}

/** Changes with what lies under a path. */
const stateOf = (path = file) => {
  const { ino, size, mtimeMs } = lstatSync(path);
  return { ino, size, mtimeMs };
};

test.each<NodeJS.Signals>(['SIGINT', 'SIGKILL'])(
  'an export that %s ended is continued',
  async (signal) => {
    const { result } = await interruptedExport(signal);
    if (signal === 'SIGINT')
      expect(result).toEqual(refusal(`interrupted. Repeat the command to continue ${part}.`));
    await expectExport();
    // Other users of the machine cannot read it.
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(part)).toBe(false);
  },
);

test.each<[what: string, spoil: (path: string) => void]>([
  ['a torn line', (path) => truncateSync(path, statSync(path).size - 9)],
  ['NUL bytes and whole lines', (path) => appendFileSync(path, `\0\0\n${lines[3]}`)],
  ['a line of another order', (path) => appendFileSync(path, lines.slice(0, 2).join(''))],
  ['a line that is no plant', (path) => appendFileSync(path, '{"id":2000}\n')],
])('an export continues before %s in its unfinished file', async (_, spoil) => {
  spoil((await interruptedExport()).path);
  await expectExport();
});

test.each([
  ["another owner's unfinished export", 'bob', endpoint],
  ['an unfinished export of another database', 'alice', (await openTables()).endpoint],
])('an export leaves %s alone', async (_, owner, from) => {
  await interruptedExport();
  const before = [stateOf(part), stateOf(written())];
  const { code, stderr } = await exportOf(owner, from);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: .*\.part is an unfinished export of alice from .*\n$/);
  expect(existsSync(file)).toBe(false);
  expect([stateOf(part), stateOf(written())]).toEqual(before);
});

test('a second export to the same file is told the process of the first', async () => {
  const waiting = Promise.withResolvers<void>();
  const { child, ended } = await exportAround(() => waiting.promise);
  expect(await exportOf('alice')).toEqual(
    refusal(
      `process ${child.pid} is writing ${part}. Wait until it ends. If it is another program, ` +
        'remove that folder.',
    ),
  );
  waiting.resolve();
  await expectExport(ended());
});

test.each(['a new', 'an unfinished'])(
  'of several exports that begin at once to %s file, each is whole or refused',
  async (kind) => {
    if (kind === 'an unfinished') await interruptedExport();
    const results = await Promise.all(Array.from({ length: 5 }, () => exportOf('alice')));
    expect(results.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1, 1]);
    for (const { stderr } of results) expect(stderr.split('\n')).toHaveLength(2);
    expect(isWhole()).toBe(true);
  },
);

test('a file that appears during an export stays, and the export too', async () => {
  const { ended } = await exportAround(() => writeFileSync(file, 'mine'));
  expect(await ended()).toEqual(
    refusal(`${file} exists by now. The complete export is ${written()}: move it elsewhere.`),
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(isWhole(written())).toBe(true);
});

test('lines that something else writes into an unfinished export are not taken', async () => {
  const { ended } = await exportAround(() => appendFileSync(written() ?? '', lines[0] ?? ''));
  expect(await ended()).toMatchObject({ code: 1 });
  expect(existsSync(file)).toBe(false);
  await expectExport();
});

test('an export that was stopped after its last step stays as it is', async () => {
  const { path } = await interruptedExport();
  // The file has its name, and the folder is not removed yet.
  const elsewhere = `${file}.kept`;
  linkSync(path, elsewhere);
  const kept = readFileSync(elsewhere, 'utf8');
  await expectExport();
  expect(readFileSync(elsewhere, 'utf8') === kept).toBe(true);
});

test.each<[what: string, lay: (path: string) => void]>([
  ['a file', (path) => writeFileSync(path, all)],
  ['a link to nothing', (path) => symlinkSync('nowhere', path)],
  ['a link to a folder', (path) => symlinkSync(import.meta.dirname, path)],
  ['an empty folder', (path) => mkdirSync(path)],
])('%s under the name of an export, finished or not, stays as it is', async (_, lay) => {
  for (const [path, what] of [
    [part, 'is not an unfinished export'],
    [file, 'exists'],
  ] as const) {
    lay(path);
    const before = stateOf(path);
    const message = `${path} ${what}: choose another name, or remove it.`;
    expect(await exportOf('alice')).toEqual(refusal(message));
    expect(stateOf(path)).toEqual(before);
  }
});
