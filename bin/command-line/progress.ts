/** Ends the process at once on Ctrl-C, `kill` and a terminal that closes. Says how things are. */
export function onInterrupt(tell: () => string): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.removeAllListeners(signal).on(signal, () => {
      clearProgress();
      console.error(`error: interrupted. ${tell()}`);
      process.exit(1);
    });
  }
}

const eraseLine = '\r\u001B[K';
let shownAt = 0;

/** Shows on a terminal how far a command is, at most ten times a second. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY && Date.now() - shownAt >= 100) {
    shownAt = Date.now();
    process.stderr.write(eraseLine + text);
  }
}

/** Makes room on a terminal for what is written next. */
export function clearProgress(): void {
  if (process.stderr.isTTY) {
    process.stderr.write(eraseLine);
  }
}

/** Returns a number with its noun, like `1 plant` or `2 plants`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
