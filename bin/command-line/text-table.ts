import { printable } from './printable.ts';

/** Formats rows as a table. The first column is flush left, the others as `pad` says. */
export function textTable(texts: string[][], pad: 'padEnd' | 'padStart' = 'padEnd'): string {
  const rows = texts.map((row) => row.map(printable));
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, i) => cell[i === 0 ? 'padEnd' : pad](widths[i] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}
