import { readPage } from '../docs/page.ts';

const [before = '', job = ''] = readPage('.github/workflows/deploy.yml').split('\n  deploy:');

/** The text of deploy.yml before the job that deploys. */
export const beforeJob = before;

/** The text of the job that deploys. */
export const deployJob = job;

/** The shell scripts of the job that deploys, with the names of their steps. */
export const scripts = job.split(/^ {6}- /m).flatMap((step) => {
  const [, name] = /^name: (.+)$/m.exec(step) ?? [];
  const [, line, block] = /^ *run: (?:\|\n((?: {10}.*\n?)+)|(.+))$/m.exec(step) ?? [];
  const script = line ?? block;
  return script === undefined ? [] : [{ name, script }];
});

/** Arguments of Bash, as GitHub runs a script. */
export const bashArguments = (script: string): string[] => [
  ...['--noprofile', '--norc', '-eo', 'pipefail', '-c'],
  script,
];
