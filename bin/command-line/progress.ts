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

/** Shows the progress of a command on a terminal, at most ten times a second. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY && Date.now() - shownAt >= 100) {
    shownAt = Date.now();
    process.stderr.write(eraseLine + text);
  }
}

/** Clears the progress from a terminal before other output. */
export function clearProgress(): void {
  if (process.stderr.isTTY) {
    process.stderr.write(eraseLine);
  }
}

/** Returns a count with its noun, like `1 plant` or `2 plants`. */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
