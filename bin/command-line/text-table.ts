import { printable } from './printable.ts';

/** Formats rows as a table. The first column is flush left, the others as `side` says. */
export function textTable(texts: string[][], side: 'left' | 'right' = 'left'): string {
  const rows = texts.map((row) => row.map(printable));
  const [heading = []] = rows;
  const widths = heading.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  function padded(cell: string, i: number): string {
    const width = widths[i] ?? 0;
    return side === 'right' && i > 0 ? cell.padStart(width) : cell.padEnd(width);
  }
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}
