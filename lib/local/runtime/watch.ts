import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const folder = join(import.meta.dirname, '..', '..', '..', 'functions');

/** Calls `reload` whenever the functions' code changes. Rejects with one line for people. */
export async function watchFunctions(reload: () => void): Promise<void> {
  await tryToWatch();
  // Node's own recursive watcher loses a file that an editor replaces.
  const { subscribe } = await import('@parcel/watcher');
  await subscribe(folder, (_, events) => {
    if (events.some(({ type, path }) => type === 'delete' && path === folder)) {
      console.error('functions/ was removed or replaced. Restart npm start to reload its changes.');
    }
    // Editors write other files beside the code.
    const changed = events.filter(({ path }) => path.endsWith('.ts'));
    if (changed.length === 0) {
      return;
    }
    console.error('Functions changed; reloaded.');
    if (changed.some(({ path }) => path.startsWith(join(folder, 'shared')))) {
      console.error(
        'The gateway uses functions/shared too. Restart npm start to apply the change there.',
      );
    }
    reload();
  });
}

/** Linux's limits, with higher values, by the code of the error when one is used up. */
const limits: Record<string, string> = {
  EMFILE: 'fs.inotify.max_user_instances=1024',
  ENOSPC: 'fs.inotify.max_user_watches=524288',
};

/** Rejects with one line at a limit of the system, where `@parcel/watcher` would wait for ever. */
async function tryToWatch(): Promise<void> {
  const folders = globSync('**/', { cwd: folder }).map((name) => join(folder, name));
  const thread = new Worker(new URL('watch-thread.ts', import.meta.url), { workerData: folders });
  try {
    await once(thread, 'exit');
  } catch (cause) {
    const limit = limits[`${(cause as NodeJS.ErrnoException).code}`];
    if (limit === undefined) {
      throw cause;
    }
    throw new Error(
      'functions/ cannot be watched: other programs of this user watch as much as the system ' +
        `allows. Stop one, or raise the limit: sudo sysctl ${limit}`,
      { cause },
    );
  }
}
