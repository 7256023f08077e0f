/** Returns JSON with a line for each row of its tables, so that runs can be compared by a diff. */
export function jsonRows(tables: object): string {
  const members = Object.entries(tables).map(([name, value]) => {
    const rows = Array.isArray(value) && value.map((row) => `    ${JSON.stringify(row)}`);
    return `  "${name}": ${rows ? `[\n${rows.join(',\n')}\n  ]` : JSON.stringify(value)}`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}
