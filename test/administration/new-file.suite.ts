import * as fs from 'node:fs';
import { readdirSync, readFileSync } from 'node:fs';
import * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';

let canRename = true;
jest.unstable_mockModule('node:fs', () => ({
  ...fs,
  // exFAT, and some network shares, have no hard links.
  linkSync() {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
  },
  renameSync(from: string, to: string) {
    if (!canRename) {
      throw new Error('EPERM: operation not permitted, rename');
    }
    fs.renameSync(from, to);
  },
}));
/** The options of each write. */
const writes: unknown[] = [];
jest.unstable_mockModule('node:fs/promises', () => ({
  ...promises,
  writeFile(...[file, texts, options]: Parameters<typeof promises.writeFile>) {
    writes.push(options);
    return promises.writeFile(file, texts, options);
  },
}));
const { writeNewFile } = await import('../../lib/administration/new-file.ts');

async function* texts(): AsyncGenerator<string> {
  yield 'one\n';
  yield 'two\n';
}

test('a new file is on the disk before it gets its name', async () => {
  writes.length = 0;
  await writeNewFile(join(temporaryFolder(), 'plants.jsonl'), texts());
  expect(writes).toEqual([{ flag: 'wx', mode: 0o600, flush: true }]);
});

test('a new file on a disk without hard links is complete, and the only file', async () => {
  const folder = temporaryFolder();
  await writeNewFile(join(folder, 'plants.jsonl'), texts());
  expect(readdirSync(folder)).toEqual(['plants.jsonl']);
  expect(readFileSync(join(folder, 'plants.jsonl'), 'utf8')).toBe('one\ntwo\n');
});

test('a new file that cannot get its name stays under another one, which the error names', async () => {
  const folder = temporaryFolder();
  canRename = false;
  const writing = writeNewFile(join(folder, 'plants.jsonl'), texts());
  const { message } = await writing.catch((error) => error);
  canRename = true;
  const [, draft = ''] = /The plants are in (.*)\. Move/.exec(message) ?? [];
  expect(message).toBe(
    `EPERM: operation not permitted, rename. The plants are in ${draft}. Move it elsewhere.`,
  );
  expect(readFileSync(draft, 'utf8')).toBe('one\ntwo\n');
});

test('an interrupted export exits with 1 and leaves the folder empty', async () => {
  const folder = temporaryFolder();
  const written = Promise.withResolvers<void>();
  const more = Promise.withResolvers<string>();
  async function* waiting(): AsyncGenerator<string> {
    yield 'one\n';
    written.resolve();
    yield await more.promise;
  }
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const say = jest.spyOn(console, 'error').mockReturnValue();
  const writing = writeNewFile(join(folder, 'plants.jsonl'), waiting());
  await written.promise;
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^plants\..*\.part$/)]);
  process.emit('SIGINT');
  expect(exit.mock.calls).toEqual([[1]]);
  expect(say.mock.calls).toEqual([
    ['error: interrupted. Nothing was written. Repeat the command.'],
  ]);
  expect(readdirSync(folder)).toEqual([]);
  jest.restoreAllMocks();
  more.reject(new Error('stopped'));
  await expect(writing).rejects.toThrow('stopped');
});
