import { spawnSync } from 'node:child_process';
import { requireOfCi } from './checkout.ts';

/** How Playwright starts the installed Chromium, or the reason why it cannot. */
type Browser = { executablePath: string } | { missing: string };

/** Finds Chromium and Playwright. CI installs both on Linux. */
export function findBrowser(): Browser {
  const executablePath = findChromium();
  if (!executablePath) {
    return { missing: 'no Chromium is installed' };
  }
  try {
    requireOfCi.resolve('playwright-core');
  } catch {
    return { missing: 'Playwright is not installed: run "npm ci --prefix .ci"' };
  }
  return { executablePath };
}

/** Returns the path of an installed Chromium, or an empty string. */
export function findChromium(): string {
  if (process.platform === 'win32') {
    return '';
  }
  const find = ['-c', 'type -P chromium chromium-browser google-chrome'];
  const [path = ''] = spawnSync('bash', find, { encoding: 'utf8' }).stdout.split('\n');
  return path;
}
