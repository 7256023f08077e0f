import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { openWorkFolder } from '../../bin/offline/work-folder.ts';
import { root } from '../support/checkout.ts';
import { finallyDo } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';

const module = pathToFileURL(join(root, 'bin', 'offline', 'work-folder.ts'));
const script = `
  const { openWorkFolder } = await import(${JSON.stringify(module)});
  process.stdout.write((await openWorkFolder()).path);
  setInterval(() => {}, 1000);`;

/** Starts a process with a work folder, until it is killed. */
async function startElsewhere() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  finallyDo(() => child.kill('SIGKILL'));
  const [path] = await eventually('a work folder', once(child.stdout.setEncoding('utf8'), 'data'));
  const kill = () => {
    child.kill('SIGKILL');
    return eventually('the end of a process', once(child, 'exit'));
  };
  return { path: String(path), kill };
}

test('a work folder goes with its process, or when another process starts', async () => {
  const [running, killed] = await Promise.all([startElsewhere(), startElsewhere()]);
  await killed.kill();
  expect([running, killed].map(({ path }) => existsSync(path))).toEqual([true, true]);
  const own = await openWorkFolder();
  expect([running, killed].map(({ path }) => existsSync(path))).toEqual([true, false]);
  expect(existsSync(own.path)).toBe(true);
  await own.stop();
  expect(existsSync(own.path)).toBe(false);
});
