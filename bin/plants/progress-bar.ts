import { nouns } from './nouns.ts';

const width = 24;
const intervalMs = 100;

export interface ProgressBar {
  /** Shows how many items are done. `share` is 0 to 1, if the total is known. */
  show(count: number, share?: number): void;
  /** Clears the line for what is written next. */
  clear(): void;
}

/** Shows progress if stderr is a terminal. */
export function progressBar(what: string, items: string = nouns.plants.many): ProgressBar {
  const terminal = process.stderr;
  const began = Date.now();
  let shown = 0;
  return {
    show(count, share) {
      const now = Date.now();
      if (!terminal.isTTY || now - shown < intervalMs) {
        return;
      }
      shown = now;
      terminal.write(`\r\u001B[K${what} ${text(count, items, share, (now - began) / 1000)}`);
    },
    clear() {
      if (terminal.isTTY) {
        terminal.write('\r\u001B[K');
      }
    },
  };
}

function text(count: number, items: string, share: number | undefined, seconds: number): string {
  const rate = Math.round(count / Math.max(seconds, 0.001)).toLocaleString('en');
  const speed = `${count.toLocaleString('en')} ${items}, ${rate} a second`;
  if (share === undefined) {
    return speed;
  }
  const full = Math.round(share * width);
  const left = share > 0 ? `, ${Math.ceil(seconds / share - seconds)} s left` : '';
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  return `${bar} ${Math.floor(share * 100)} % · ${speed}${left}`;
}
