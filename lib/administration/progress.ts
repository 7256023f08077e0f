/** Exits on Ctrl-C, `kill` and a closed terminal. Prints the state of the work. */
export function onInterrupt(state: () => string): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.removeAllListeners(signal).on(signal, () => {
      clearProgress();
      console.error(`error: interrupted. ${state()}`);
      process.exit(1);
    });
  }
}

const eraseLine = '\r\u001B[K';
let shownAt = 0;
let isShown = false;

/**
 * Shows the progress of a command, at most ten times a second. Shows nothing unless stderr is a
 * terminal that can redraw a line.
 */
export function showProgress(text: string): void {
  const { isTTY, columns } = process.stderr;
  const canRedraw = isTTY && columns > 1 && process.env.TERM !== 'dumb';
  if (canRedraw && Date.now() - shownAt >= 100) {
    shownAt = Date.now();
    isShown = true;
    // A terminal would wrap a longer text, and erase only its last line.
    process.stderr.write(eraseLine + text.slice(0, columns - 1));
  }
}

export function clearProgress(): void {
  if (isShown) {
    isShown = false;
    process.stderr.write(eraseLine);
  }
}
