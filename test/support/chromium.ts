import { spawnSync } from 'node:child_process';

/** Returns the path of an installed Chromium, or an empty string. */
export function findChromium(): string {
  if (process.platform === 'win32') {
    return '';
  }
  const find = ['-c', 'type -P chromium chromium-browser google-chrome'];
  const [path = ''] = spawnSync('bash', find, { encoding: 'utf8' }).stdout.split('\n');
  return path;
}
