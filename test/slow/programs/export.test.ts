import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openTables } from '../../support/database/open-database.ts';
import { type Fault, hang, pass, startFaultProxy } from '../../support/database/proxy.ts';
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
/** The file of one test, by its name and by its path. */
let name: string;
let file: string;
let part: string;
beforeEach(() => {
  tests += 1;
  name = `plants${tests}.jsonl`;
  file = program.file(name);
  part = `${file}.part`;
});

const exportOf = (owner: string, from = endpoint) =>
  program.plants(['export', '--owner', owner, name], '', from);
const refusal = (text: string) => ({ code: 1, stdout: '', stderr: `error: ${text}\n` });
/** Exports all plants, and compares the file with them. */
async function expectExport() {
  expect(await exportOf('alice')).toEqual(success('Exported 1100 plants of alice.\n'));
  expect(readFileSync(file, 'utf8') === all).toBe(true);
}
const written = () => {
  const unfinished = existsSync(part) && readdirSync(part).find((one) => /^\d+\.jsonl$/.test(one));
  return unfinished ? join(part, unfinished) : undefined;
};

/** Starts an export that has written a page and stops before the next one. */
async function stuckExport(fault: Fault = hang) {
  let isStuck = false;
  const stick: Fault = (exchange) => {
    isStuck = true;
    return fault(exchange);
  };
  proxy.play('alice', pass, stick, pass);
  const exporting = program.start(['export', '--owner', 'alice', name], endpoint);
  const page = Buffer.byteLength(lines.slice(0, 1000).join(''));
  const isThere = () => isStuck && statSync(written() ?? import.meta.filename).size >= page;
  await eventually('a page in the unfinished file', isThere);
  return exporting;
}

async function interruptedExport(signal: NodeJS.Signals = 'SIGKILL') {
  const { child, ended } = await stuckExport();
  child.kill(signal);
  return { path: written() ?? '', result: await ended() };
}

/** Everything under a name, to compare. */
const lying = (path: string): unknown => {
  const entry = lstatSync(path);
  if (entry.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (!entry.isDirectory()) return readFileSync(path, 'utf8');
  return readdirSync(path).map((one) => [one, lying(join(path, one))]);
};

test.each<NodeJS.Signals>(['SIGINT', 'SIGKILL'])(
  'an export that %s ended is continued',
  async (signal) => {
    const { result } = await interruptedExport(signal);
    if (signal === 'SIGINT')
      expect(result).toEqual(refusal(`interrupted. Repeat the command to continue ${part}.`));
    await expectExport();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(part)).toBe(false);
  },
);

test.each<[what: string, spoil: (path: string) => void]>([
  ['a torn line', (path) => truncateSync(path, statSync(path).size - 9)],
  ['NUL bytes', (path) => appendFileSync(path, Buffer.alloc(5_000_000))],
  ['NUL bytes and whole lines', (path) => appendFileSync(path, `\0\0\n${lines[3]}`)],
  ['a line of another order', (path) => appendFileSync(path, lines.slice(0, 2).join(''))],
  ['a line that is no plant', (path) => appendFileSync(path, '{"id":2000}\n')],
  ['nothing', (path) => truncateSync(path)],
])('an export continues before %s in its unfinished file', async (_, spoil) => {
  spoil((await interruptedExport()).path);
  await expectExport();
});

test.each([
  ["another owner's unfinished export", 'bob', false],
  ['an unfinished export of another database', 'alice', true],
])('an export leaves %s alone', async (_, owner, isElsewhere) => {
  await interruptedExport();
  const before = lying(part);
  const { code, stderr } = await exportOf(
    owner,
    isElsewhere ? (await openTables()).endpoint : endpoint,
  );
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: .*\.part is an unfinished export of alice from .*\n$/),
  });
  expect(existsSync(file)).toBe(false);
  expect(lying(part)).toEqual(before);
});

test('a second export to the same file is told the process of the first', async () => {
  const waiting = Promise.withResolvers<void>();
  const { child, ended } = await stuckExport(async (exchange) => {
    await waiting.promise;
    await pass(exchange);
  });
  expect(await exportOf('alice')).toEqual(
    refusal(
      `process ${child.pid} is writing ${part}. Wait until it ends. If it is another program, ` +
        'remove that folder.',
    ),
  );
  waiting.resolve();
  expect(await ended()).toEqual(success('Exported 1100 plants of alice.\n'));
  expect(readFileSync(file, 'utf8') === all).toBe(true);
});

test.each(['a new', 'an unfinished'])(
  'of several exports that begin at once to %s file, each is whole or refused',
  async (kind) => {
    if (kind === 'an unfinished') await interruptedExport();
    const results = await Promise.all(Array.from({ length: 5 }, () => exportOf('alice')));
    expect(results.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1, 1]);
    for (const { stderr } of results) expect(stderr.split('\n')).toHaveLength(2);
    expect(readFileSync(file, 'utf8') === all).toBe(true);
  },
);

test('a file that appears during an export stays, and the export too', async () => {
  const { ended } = await stuckExport(async (exchange) => {
    writeFileSync(file, 'mine');
    await pass(exchange);
  });
  const { code, stderr } = await ended();
  expect(code).toBe(1);
  expect(stderr).toBe(
    `error: ${file} exists by now. The complete export is ${written()}: move it elsewhere.\n`,
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(readFileSync(written() ?? '', 'utf8') === all).toBe(true);
});

test('lines that something else writes into an unfinished export are not taken', async () => {
  const { ended } = await stuckExport(async (exchange) => {
    appendFileSync(written() ?? '', lines[0] ?? '');
    await pass(exchange);
  });
  expect(await ended()).toMatchObject({ code: 1 });
  expect(existsSync(file)).toBe(false);
  await expectExport();
});

test('an export that was stopped after its last step stays as it is', async () => {
  const { path } = await interruptedExport();
  writeFileSync(path, all);
  // The file has its name, and the folder is not removed yet.
  linkSync(path, file);
  const elsewhere = `${file}.kept`;
  renameSync(file, elsewhere);
  const before = statSync(elsewhere).ino;
  truncateSync(elsewhere, all.length - 9);
  const kept = readFileSync(elsewhere, 'utf8');
  await expectExport();
  expect(statSync(elsewhere).ino).toBe(before);
  expect(readFileSync(elsewhere, 'utf8') === kept).toBe(true);
});

const things: [what: string, lay: (path: string) => void][] = [
  ['a file', (path) => writeFileSync(path, all)],
  ['an empty file', (path) => writeFileSync(path, '')],
  ['a link to a file', (path) => symlinkSync(import.meta.filename, path)],
  ['a link to nothing', (path) => symlinkSync('nowhere', path)],
  ['a link to a folder', (path) => symlinkSync(import.meta.dirname, path)],
  ['an empty folder', (path) => mkdirSync(path)],
  [
    'a folder of another program',
    (path) => {
      mkdirSync(path);
      writeFileSync(join(path, 'export.json'), '{}');
    },
  ],
];
describe.each(things)('%s', (_, lay) => {
  test('under the name of an export stays as it is', async () => {
    lay(file);
    const before = lying(file);
    expect(await exportOf('alice')).toEqual(
      refusal(`${file} exists: choose another name, or remove it.`),
    );
    expect(lying(file)).toEqual(before);
    expect(existsSync(part)).toBe(false);
  });

  test('under the name of an unfinished export stays as it is', async () => {
    lay(part);
    const before = lying(part);
    expect(await exportOf('alice')).toEqual(
      refusal(`${part} is not an unfinished export: choose another name, or remove it.`),
    );
    expect(lying(part)).toEqual(before);
    expect(existsSync(file)).toBe(false);
    rmSync(part, { recursive: true });
  });
});

test('an export into a folder that is missing gets one line', async () => {
  const path = join('missing', 'plants.jsonl');
  const { code, stderr } = await program.plants(['export', '--owner', 'alice', path]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: .*ENOENT.*\n$/);
});
