import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the JSON of a page in docs/, and replaces the part of the page that follows from it. */
export function publishPage(docs: string, name: string, tables: object, part: string): void {
  writeFileSync(join(docs, `${name}.json`), jsonRows(tables));
  const page = join(docs, `${name}.md`);
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(/(?<=<!-- figures -->\n).*(?=\n<!-- end -->)/s, () => part),
  );
}

/** Returns JSON with a line for each row of its tables, so that runs can be compared by a diff. */
function jsonRows(tables: object): string {
  const members = Object.entries(tables).map(([name, value]) => {
    const rows = Array.isArray(value) && value.map((row) => `    ${JSON.stringify(row)}`);
    return `  "${name}": ${rows ? `[\n${rows.join(',\n')}\n  ]` : JSON.stringify(value)}`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}
