import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findChromium } from '../../support/chromium.ts';

// Writes the README's pictures of the reference that `npm start` serves. It needs Chromium, so no
// test runs it.

const root = join(import.meta.dirname, '..', '..', '..');
/** High enough for the three operations, and so narrow that a page shows their letters large. */
const size = '1000,610';
/** Chromium's numbers of the schemes. */
const schemes = { dark: 0, light: 1 };

function writePicture(scheme: keyof typeof schemes, url: string, profile: string): void {
  const options = [
    'headless',
    'no-sandbox',
    'disable-gpu',
    'hide-scrollbars',
    `user-data-dir=${profile}`,
    `window-size=${size}`,
    `blink-settings=preferredColorScheme=${schemes[scheme]}`,
    // The page has drawn itself by then. Chromium does not really wait for so long.
    'virtual-time-budget=20000',
    `screenshot=${join(root, 'docs', `reference-${scheme}.webp`)}`,
  ];
  const args = [...options.map((option) => `--${option}`), url];
  execFileSync(findChromium(), args, { stdio: 'ignore' });
}

const options = '--json --memory --port 0 --dynamodb-port 0'.split(' ');
const args = [join(root, 'bin', 'node24.mjs'), join(root, 'bin', 'start.ts'), ...options];
const program = spawn(process.execPath, args);
const profile = mkdtempSync(join(tmpdir(), 'plant-store-picture-'));
try {
  const [ready] = await once(createInterface(program.stdout), 'line');
  const url = new URL('/docs', JSON.parse(ready).baseUrl).href;
  writePicture('dark', url, profile);
  writePicture('light', url, profile);
} finally {
  program.kill('SIGINT');
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
