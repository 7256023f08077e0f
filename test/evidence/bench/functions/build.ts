import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { bundle, type Entry, requestEntries } from '../../../../lib/bundle.ts';

const baselines = join(import.meta.dirname, '..', 'baselines');

/** A function to measure: the file with its handler, and the function whose events it gets. */
export interface Candidate {
  name: string;
  file: string;
  entry: Entry;
}

/** The build of `raw` as of November 2026. It stays, so that our build is not its own measure. */
const pinned: BuildOptions = {
  minify: true,
  format: 'cjs',
  mainFields: ['module', 'main'],
  supported: { 'dynamic-import': false },
  alias: { '@aws-sdk/credential-provider-node': join(baselines, 'environment-credentials.mjs') },
};

/** How CDK's NodejsFunction builds a function if it is only told to minify. */
const cdkDefault: BuildOptions = { minify: true, format: 'cjs' };

/** Installs and builds all that is measured, into a folder. */
export function buildCandidates(folder: string): Candidate[] {
  if (!existsSync(join(baselines, 'node_modules'))) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: baselines });
  }
  bundle(join(folder, 'ours'));

  const build = (name: string, baseline: string, entry: Entry, options: BuildOptions) => {
    const file = join(folder, `${name}.cjs`);
    buildSync({
      entryPoints: [join(baselines, `${baseline}.mjs`)],
      outfile: file,
      bundle: true,
      platform: 'node',
      target: 'node24',
      define: { 'process.env.OPERATION': JSON.stringify(entry) },
      ...options,
    });
    return { name, file, entry };
  };
  return [
    ...requestEntries.map((entry) => {
      return { name: entry, file: join(folder, 'ours', entry, 'start.mjs'), entry };
    }),
    ...requestEntries.map((entry) => build(`raw ${entry}`, 'raw', entry, pinned)),
    build('CDK default', 'raw', 'create-plant', cdkDefault),
    build('express', 'express', 'create-plant', cdkDefault),
    build('demo', 'demo', 'create-plant', cdkDefault),
  ];
}
