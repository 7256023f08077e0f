import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Fault, pass, startFaultProxy } from '../../support/database/proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { testOnPosix } from '../../support/posix.ts';
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
beforeEach(() => {
  tests += 1;
  file = program.file(`plants${tests}.jsonl`);
});

const exportAlice = () => program.plants(['export', '--owner', 'alice', file], '', endpoint);
const refusal = (text: string) => ({ code: 1, stdout: '', stderr: `error: ${text}\n` });
const isWhole = (path = file) => readFileSync(path, 'utf8') === all;

/** Returns the path of the unfinished file of the export, or '' if there is none. */
function draft(): string {
  const names = readdirSync(dirname(file)).filter((name) => name.endsWith('.part'));
  const name = names.find((each) => each.startsWith(basename(file)));
  return name === undefined ? '' : join(dirname(file), name);
}

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
  const isThere = () => isWaiting && draft() !== '' && statSync(draft()).size >= page;
  await eventually('a page in the unfinished file', isThere);
  return exporting;
}

async function interruptedExport(signal: NodeJS.Signals) {
  const { child, ended } = await exportAround(() => new Promise(() => {}));
  child.kill(signal);
  return ended();
}

/** Changes with what lies under a path. */
const stateOf = (path: string) => {
  const { ino, size, mtimeMs } = lstatSync(path);
  return { ino, size, mtimeMs };
};

testOnPosix('files have no modes there')(
  'an export writes every plant into a file that other users cannot open',
  async () => {
    let mode = 0;
    const { ended } = await exportAround(() => {
      mode = statSync(draft()).mode & 0o777;
    });
    expect(await ended()).toEqual(success('Exported 1100 plants of alice.\n'));
    expect(isWhole()).toBe(true);
    expect(draft()).toBe('');
    expect(mode).toBe(0o600);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  },
);

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals.each<[what: string, signal: NodeJS.Signals]>([
  ['Ctrl-C', 'SIGINT'],
  ['kill', 'SIGTERM'],
  ['a terminal that closes', 'SIGHUP'],
])('an export that %s ends leaves nothing behind', async (_, signal) => {
  expect(await interruptedExport(signal)).toEqual(
    refusal('interrupted, and nothing was written. Repeat the command.'),
  );
  expect([draft(), existsSync(file)]).toEqual(['', false]);
});

test('an export that was killed is repeated', async () => {
  await interruptedExport('SIGKILL');
  expect(existsSync(file)).toBe(false);
  expect(await exportAlice()).toMatchObject({ code: 0 });
  expect(isWhole()).toBe(true);
});

test('of several exports to one file one succeeds, and the others replace nothing', async () => {
  const results = await Promise.all(Array.from({ length: 5 }, exportAlice));
  expect(results.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1, 1]);
  expect(isWhole()).toBe(true);
});

test('a file that appears during an export stays, and the export too', async () => {
  const { ended } = await exportAround(() => writeFileSync(file, 'mine'));
  expect(await ended()).toEqual(
    refusal(`${file} exists by now. What was to be written is in ${draft()}: move it elsewhere.`),
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(isWhole(draft())).toBe(true);
});

testOnPosix('links need a right there').each<[what: string, lay: (path: string) => void]>([
  ['a file', (path) => writeFileSync(path, all)],
  ['a link to nothing', (path) => symlinkSync('nowhere', path)],
  ['a link to a folder', (path) => symlinkSync(import.meta.dirname, path)],
  ['an empty folder', (path) => mkdirSync(path)],
])('%s under the name of an export stays as it is', async (_, lay) => {
  lay(file);
  const before = stateOf(file);
  expect(await exportAlice()).toEqual(
    refusal(`${file} exists: choose another name, or remove it.`),
  );
  expect(stateOf(file)).toEqual(before);
  expect(draft()).toBe('');
});

test('an export to a folder that does not exist says so', async () => {
  file = join(program.file('missing'), 'plants.jsonl');
  const { code, stderr } = await exportAlice();
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: \S+missing\S+ cannot be written: ENOENT: no such file or directory, .*\. Choose another file\.\n$/,
  );
});
