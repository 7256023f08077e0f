/**
 * Calls back, once, when the process that started this one has ended, where that was npm: it hands SIGTERM to its shell, and some shells
 * (Debian's) do not hand it on.
 */
export function onceOrphaned(then: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  // Whoever read what is written here may be gone too: that must not break off the end.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, 500);
  timer.unref();
}
