import { watch } from 'node:fs';
import { workerData } from 'node:worker_threads';

// Watches folders and stops again. Fails at a limit of the system. The end of a thread gives back
// what it took.

const watchers = (workerData as string[]).map((folder) => watch(folder));
for (const watcher of watchers) {
  watcher.close();
}
