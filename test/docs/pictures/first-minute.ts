import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export const file = 'docs/first-minute.svg';

const root = join(import.meta.dirname, '..', '..', '..');
/** Enough for the table, and so few that a phone shows letters of ten pixels. */
const columns = 57;

/** Runs `npm start`, creates a plant, is refused another and ends it. Returns what is printed. */
export async function firstMinute(): Promise<string[]> {
  const options = '--memory --port 0 --dynamodb-port 0'.split(' ');
  const args = [join(root, 'bin', 'node24.mjs'), join(root, 'bin', 'start.ts'), ...options];
  const program = spawn(process.execPath, args, { env: { ...process.env, NO_COLOR: '1' } });
  const log = text(program.stderr);
  let ready = '';
  program.stdout.setEncoding('utf8').on('data', (part) => {
    ready += part;
  });
  while (!ready.includes('Ctrl-C')) {
    await once(program.stdout, 'data');
  }
  const [, url = '', token = ''] = /curl -i (\S+) .*Bearer (\w+)/.exec(ready) ?? [];
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const [, body = ''] = / -d '(.*)'/.exec(ready) ?? [];
  await fetch(url, { method: 'POST', headers, body });
  await fetch(url, { method: 'POST', headers, body: '{"id": 2}' });
  program.kill('SIGINT');
  const printed = `$ npm start -- --memory\n${ready}${(await log).replace(/^.* …\n/gm, '')}`;
  return printed
    .replaceAll(token, 'pst_…')
    .replaceAll(new URL(url).port, '3000')
    .replace(/(DynamoDB: .*:)\d+/, '$18000')
    .replace('\n\nWhat these', '\n^C\n\nWhat these')
    .replace(/\n\nThe price .*/s, '')
    .replace(/(?<=[a-z])\n(?=[a-z])/g, ' ')
    .split('\n')
    .flatMap(fitted);
}

/** Cuts commands. Wraps other lines between words. */
function fitted(line: string): string[] {
  if (line.length <= columns) {
    return [line];
  }
  if (line.startsWith('  curl')) {
    return [`${line.slice(0, columns - 1)}…`];
  }
  const end = line.lastIndexOf(' ', columns);
  const indent = /^\d/.test(line) ? ' '.repeat(13) : /^ */.exec(line)?.[0];
  return [line.slice(0, end), ...fitted(indent + line.slice(end + 1))];
}

/** Returns what two runs have in common, whatever was measured, cut or wrapped. */
export const withoutTimes = (lines: string[]) =>
  lines
    .map((line) => line.replace(/curl.*/, 'curl'))
    .join(' ')
    .replaceAll(/ +/g, ' ')
    // A busy machine may not have warmed the functions yet.
    .replaceAll(/ cold start,|(?<=POST \S+ \d+ )\d+/g, '')
    .replaceAll(/\d+:\d+:\d+\.\d+|\d+ ms|\d+\.\d\d\b/g, 'N');

export const textOf = (svg: string) =>
  [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, line = '']) =>
    line.replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  );

function picture(lines: string[]): string {
  const width = columns * 8.43 + 32;
  const height = lines.length * 20 + 28;
  const texts = lines.map((line, i) => {
    const shown = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const typed = /^(\$ |\^C)/.test(line) ? ' class="typed"' : '';
    return `<text x="16" y="${i * 20 + 32}"${typed}>${shown}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>npm start: a create, a refused request, and what they would cost</title>
<style>
rect { fill: #f6f8fa; stroke: #d1d9e0 }
text { fill: #1f2328; font: 14px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
.typed { font-weight: bold }
@media (prefers-color-scheme: dark) {
  rect { fill: #151b23; stroke: #3d444d }
  text { fill: #f0f6fc }
}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${texts.join('\n')}
</svg>
`;
}

if (import.meta.main) {
  writeFileSync(join(root, file), picture(await firstMinute()));
}
