import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '..', 'functions');

/** Calls `reload` whenever the functions' code changes. */
export async function watchFunctions(reload: () => void): Promise<void> {
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
