import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { root } from '../support/checkout.ts';
import { findChromium } from '../support/chromium.ts';

// Writes the pictures of the README: what npm start prints, and the reference that it serves. It
// needs Chromium, so no test runs it:
// node bin/node24.mjs test/docs/pictures.ts

/** So few that a phone shows letters of ten pixels. */
const columns = 57;

const options = ['--memory', '--port', '0', '--dynamodb-port', '0'];
const program = spawn(process.execPath, [join(root, 'bin', 'start.ts'), ...options], {
  env: { ...process.env, NO_COLOR: '1' },
});
const log = text(program.stderr);
let printed = '';
program.stdout.setEncoding('utf8').on('data', (part) => {
  printed += part;
});
while (!printed.includes('Ctrl-C')) {
  await once(program.stdout, 'data');
}
const [, url = '', token = ''] = /curl -i (\S+) .*Bearer (\w+)/.exec(printed) ?? [];
const [, plant = ''] = / -d '(.*)'/.exec(printed) ?? [];
await create(plant);
await create('{"id": 2}');
writeReference('dark');
writeReference('light');
// The last log line may be on its way.
await setTimeout(100);
program.kill('SIGINT');
writeFileSync(join(root, 'docs', 'first-minute.svg'), terminal(await log));

async function create(body: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.text();
}

/** Draws a terminal with what npm start has printed and logged. */
function terminal(logged: string): string {
  const requests = logged.split('\n').filter((line) => line.includes('POST'));
  const lines = ['$ npm start -- --memory', ...printed.trimEnd().split('\n'), '', ...requests]
    .map((line) =>
      line
        .replaceAll(token, 'pst_…')
        .replaceAll(new URL(url).port, '3000')
        .replace(/(DynamoDB: .*:)\d+/, '$18000'),
    )
    .flatMap(wrap);
  const width = columns * 8.43 + 32;
  const height = lines.length * 20 + 28;
  const texts = lines.map((line, i) => {
    const shown = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const typed = line.startsWith('$ ') ? ' class="typed"' : '';
    return `<text x="16" y="${i * 20 + 32}"${typed}>${shown}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>npm start: a token, a create that is answered 201, and one that is answered 400</title>
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

/** Cuts a command, and wraps another line between words. */
function wrap(line: string): string[] {
  if (line.length <= columns) {
    return [line];
  }
  if (line.startsWith('  curl')) {
    return [`${line.slice(0, columns - 1)}…`];
  }
  const end = line.lastIndexOf(' ', columns);
  const indent = /^\d/.test(line) ? ' '.repeat(13) : '';
  return [line.slice(0, end), ...wrap(indent + line.slice(end + 1))];
}

/** Takes a picture of the reference, high enough for the three operations. */
function writeReference(scheme: 'dark' | 'light'): void {
  const profile = mkdtempSync(join(tmpdir(), 'plant-store-picture-'));
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    `--user-data-dir=${profile}`,
    '--window-size=1000,645',
    // Chromium's numbers of the schemes.
    `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
    // The page has drawn itself by then. Chromium does not really wait for so long.
    '--virtual-time-budget=20000',
    `--screenshot=${join(root, 'docs', `reference-${scheme}.webp`)}`,
    new URL('/docs', url).href,
  ];
  execFileSync(findChromium(), args, { stdio: 'ignore' });
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
