import * as fs from 'node:fs';
import { readFileSync } from 'node:fs';
import * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';

const refuse = (call: string) => (): never => {
  throw new Error(`EPERM: operation not permitted, ${call}`);
};
const renameSync = jest.fn(fs.renameSync);
// exFAT, and some network shares, have no hard links.
jest.unstable_mockModule('node:fs', () => ({ ...fs, linkSync: refuse('link'), renameSync }));
const writeFile = jest.fn(promises.writeFile);
jest.unstable_mockModule('node:fs/promises', () => ({ ...promises, writeFile }));
const { writeNewFile } = await import('../../lib/administration/new-file.ts');

async function* texts(): AsyncGenerator<string> {
  yield 'one\n';
  yield 'two\n';
}

test('a new file is on the disk before it gets its name, also on a disk without hard links', async () => {
  await writeNewFile(join(temporaryFolder(), 'plants.jsonl'), texts());
  const options = { flag: 'wx', mode: 0o600, flush: true };
  expect(writeFile).toHaveBeenLastCalledWith(expect.anything(), expect.anything(), options);
});

test('a new file that cannot get its name stays under another one, which the error names', async () => {
  renameSync.mockImplementationOnce(refuse('rename'));
  const writing = writeNewFile(join(temporaryFolder(), 'plants.jsonl'), texts());
  const { message } = await writing.catch((error) => error);
  const [, draft = ''] = /The plants are in (.*)\. Move/.exec(message) ?? [];
  expect(message).toBe(
    `EPERM: operation not permitted, rename. The plants are in ${draft}. Move it elsewhere.`,
  );
  expect(readFileSync(draft, 'utf8')).toBe('one\ntwo\n');
});
