import { exec, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/checkout.ts';
import { findChromium } from '../support/chromium.ts';
import { referenceSize } from './reference-size.ts';

// Makes the pictures of the README: a terminal with npm start, and the reference in a browser. It
// needs Chromium, so no test runs it.
// It runs npm start on the default ports.
//   node bin/node24.mjs test/docs/pictures.ts

const columns = 80;

const program = spawn(process.execPath, ['bin/start.ts', '--memory'], {
  cwd: root,
  env: { ...process.env, FORCE_COLOR: '1' },
});
let printed = '';
let log = '';
program.stdout.setEncoding('utf8').on('data', (text) => {
  printed += text;
});
program.stderr.setEncoding('utf8').on('data', (text) => {
  log += text;
});
while (!printed.includes('Ctrl-C')) {
  await once(program.stdout, 'data');
}
for (const [curl] of printed.matchAll(/curl .*/g)) {
  await promisify(exec)(`${curl} -s`);
}
while (!log.includes('DELETE')) {
  await once(program.stderr, 'data');
}
const [, token = ''] = /Bearer (\w+)/.exec(printed) ?? [];
const [, api = ''] = /Plant Store: (.*?)\/v1/.exec(printed) ?? [];
takePicture('dark');
takePicture('light');
writeFileSync(join(root, 'docs', 'first-minute.svg'), drawTerminal());
program.kill('SIGKILL');

/** Draws a terminal with the output of npm start. */
function drawTerminal(): string {
  const lines = [
    '$ npm ci && npm start',
    '',
    `> ${packageJson.name}@${packageJson.version} start`,
    `> ${packageJson.scripts.start}`,
    ...printed.trimEnd().split('\n'),
    '',
    ...log.trimEnd().split('\n'),
  ].flatMap((line) => wrap(withDefaults(line)));
  const height = lines.length * 20 + 28;
  const texts = lines.map((line, i) => {
    const typed = line.startsWith('$ ') ? ' class="typed"' : '';
    return `<text x="16" y="${i * 20 + 32}"${typed}>${paint(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 706 ${height}" role="img">
<title>npm start: a token, three commands to paste, and a line for each of their requests</title>
<style>
rect { fill: #f6f8fa; stroke: #d1d9e0 }
text { fill: #1f2328; font: 14px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
.typed { font-weight: bold }
.dim { fill: #59636e }
.green { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
  rect { fill: #151b23; stroke: #3d444d }
  text { fill: #f0f6fc }
  .dim { fill: #9198a1 }
  .green { fill: #3fb950 }
}
</style>
<rect x="0.5" y="0.5" width="705" height="${height - 1}" rx="6"/>
${texts.filter((text) => !text.includes('></text>')).join('\n')}
</svg>
`;
}

/** Shows a line as it is with data in the default folder, without the token. */
function withDefaults(line: string): string {
  return line
    .replaceAll(token, token.replace(/_.*/, '_…'))
    .replace('(in memory)', '(in .plant-store)');
}

/** Cuts a line as a terminal does. A coloured one is short. */
function wrap(line: string): string[] {
  const parts = line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''];
  return line.includes('\u001b') ? [line] : parts;
}

/** Turns the colours of a terminal into those of the picture. */
function paint(line: string): string {
  return line
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('\u001b[2m', '<tspan class="dim">')
    .replaceAll('\u001b[32m', '<tspan class="green">')
    .replaceAll('\u001b[22m', '</tspan>')
    .replaceAll('\u001b[39m', '</tspan>');
}

/** Takes a picture of the reference. */
function takePicture(scheme: 'dark' | 'light'): void {
  const profile = mkdtempSync(join(tmpdir(), 'picture-'));
  const args = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
    `--user-data-dir=${profile}`,
    `--window-size=${referenceSize.width},${referenceSize.height}`,
    // Chromium's numbers of the schemes.
    `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
    // The page is drawn by then. Chromium does not really wait for so long.
    '--virtual-time-budget=20000',
    `--screenshot=${join(root, 'docs', `reference-${scheme}.webp`)}`,
    `${api}/docs`,
  ];
  execFileSync(findChromium(), args, { stdio: 'ignore' });
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
