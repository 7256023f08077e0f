const width = 24;
const intervalMs = 100;

/** Shows progress if stderr is a terminal. `share` is 0 to 1, if the total is known. */
export function progressBar(what: string, terminal: NodeJS.WriteStream = process.stderr) {
  const began = Date.now();
  let shown = 0;
  return {
    show(plants: number, share?: number): void {
      const now = Date.now();
      if (!terminal.isTTY || now - shown < intervalMs) return;
      shown = now;
      terminal.write(`\r\u001B[K${text(what, plants, share, (now - began) / 1000)}`);
    },
    /** Clears the line for what is written next. */
    clear(): void {
      if (terminal.isTTY) terminal.write('\r\u001B[K');
    },
  };
}

function text(what: string, plants: number, share: number | undefined, seconds: number): string {
  const speed = `${plants.toLocaleString('en')} plants, ${rate(plants, seconds)} a second`;
  if (share === undefined) return `${what} ${speed}`;
  const full = Math.round(share * width);
  const left = share > 0 ? `, ${Math.ceil(seconds / share - seconds)} s left` : '';
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  return `${what} ${bar} ${Math.floor(share * 100)} % · ${speed}${left}`;
}

const rate = (plants: number, seconds: number) =>
  Math.round(plants / Math.max(seconds, 0.001)).toLocaleString('en');
