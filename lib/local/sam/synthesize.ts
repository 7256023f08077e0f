import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { settingPrefix } from '../../stack/settings.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Synthesizes the stack into a folder, as `npx cdk synth` does. Returns the path of its template.
 */
export async function synthesize(folder: string, architecture: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const cdk = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));
  const setting = `${settingPrefix}architecture=${architecture}`;
  // SAM CLI prints a warning for each resource with path metadata.
  const options = ['--quiet', '--no-path-metadata', '--output', folder, '--context', setting];
  const args = [cdk, 'synth', ...options];
  await run(process.execPath, args, { cwd: root }).catch(({ stderr }) => {
    throw new Error(`Cannot synthesize the stack.\n${stderr}`);
  });
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.template.json'));
  return join(folder, name);
}
