import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { finallyDo, temporaryFolder } from '../../../support/cleanup.ts';
import { startNpmStart } from '../../../support/program.ts';
import { countOf } from '../../../support/report/property.ts';
import { report } from '../../../support/report/report.ts';
import { acknowledgedWrites } from './acknowledged-writes.ts';

/** Runs a command as root. Returns whether it succeeded. */
function runAsRoot(...command: string[]): boolean {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const [program = '', ...args] = [...sudo, ...command];
  return spawnSync(program, args).status === 0;
}

/** Mounts a small disk in a new folder. */
function mountDisk() {
  const folder = temporaryFolder();
  const mount = (size: string, ...options: string[]) =>
    runAsRoot('mount', '-t', 'tmpfs', '-o', [`size=${size}`, ...options].join(), 'tmpfs', folder);
  expect(mount('1m')).toBe(true);
  finallyDo(() => runAsRoot('umount', '--lazy', folder));
  return { folder, makeRoom: () => expect(mount('64m', 'remount')).toBe(true) };
}

/** Other users, and root in a container, may not mount. */
function tryToMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const isMounted = runAsRoot('mount', '-t', 'tmpfs', 'tmpfs', folder);
  if (isMounted) runAsRoot('umount', folder);
  rmdirSync(folder);
  return isMounted;
}

const canMount = tryToMount();
if (!canMount)
  process.stderr.write('The proof leaves out the full disk, because it cannot mount one.\n');
const testOnDisks = canMount ? test : test.skip;

testOnDisks('a full disk gives a clear error and loses nothing that was acknowledged', async () => {
  const startedAt = performance.now();
  const disks = Array.from({ length: Math.max(2, countOf({ whole: 10 })) }, mountDisk);
  let acknowledged = 0;
  for (const [i, { folder, makeRoom }] of disks.entries()) {
    const roomWhileRunning = i % 2 === 1;
    const data = join(folder, 'store');
    const writes = acknowledgedWrites('🌵'.repeat(100));
    const store = await startNpmStart(['--data', data]);
    for (const { status } of await writes.writeOn(store)) expect(status).toBe('fulfilled');
    expect(await writes.write(store, 0, true)).toBe(false);
    await writes.expectIn(store);
    // An incomplete record may stand before what is written now.
    if (roomWhileRunning) {
      makeRoom();
      expect(await writes.write(store, 0, true)).toBe(false);
    }
    const { code, stderr } = await store.end();
    expect(code).toBe(0);
    expect(stderr.match(/^error: .*/gm)).toEqual([
      expect.stringMatching(/The database takes no more writes: .*No space left on device/),
    ]);

    if (!roomWhileRunning) {
      const message = `error: ${data} is on a disk that is full. Make room, then start again.\n`;
      await expect(startNpmStart(['--data', data])).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(message),
      });
      makeRoom();
    }
    const restarted = await startNpmStart(['--data', data]);
    await writes.expectIn(restarted);
    expect(await writes.write(restarted, -1, true)).toBe(true);
    await restarted.end();
    // The last one was acknowledged after the restart.
    acknowledged += writes.count() - 1;
  }
  report(
    {
      topic: 'Crashes',
      tried: '`npm start` on a disk that writes filled up',
      count: disks.length,
      unit: 'disks',
      outcome:
        'Writes got 503, reads went on, and the terminal said why in one line. ' +
        `With room made, all of ${acknowledged} acknowledged creates and deletes held.`,
    },
    startedAt,
  );
});
