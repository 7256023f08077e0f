import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeBlocks, readPage } from '../../docs/page.ts';
import { root } from '../../support/checkout.ts';

/** A command of a page, as the shell passes it on: the program, then its arguments. */
export interface PageCommand {
  page: string;
  words: string[];
}

/**
 * Programs that record their arguments instead of running, and print what the next command of the
 * page waits for.
 */
const recorders = `
set -u
record() { printf '%s\\0' "$@" $'\\n' >&3; }
aws() {
  record aws "$@"
  case "$*" in
    'dynamodb describe-table '*) echo ACTIVE ;;
    'dynamodb describe-time-to-live '*) echo DISABLED ;;
    *) echo "OUTPUT-OF-\${2-}-IN-THE-ACCOUNT-AND-REGION" ;;
  esac
}
npx() { record npx "$@"; }
cdk() { record npx cdk "$@"; }
npm() { record npm "$@"; }
curl() { :; }
gh() { echo 'OWNER/NAME 1 2'; }
git() { :; }
sleep() { :; }
`;

/** Returns the commands that a shell runs for the code of a page, from top to bottom. Needs Bash. */
function runRecorded(blocks: string[]): string[][] {
  const script = [recorders, ...blocks].join('\n');
  const cwd = mkdtempSync(join(tmpdir(), 'pages-'));
  const { stderr, output } = spawnSync('bash', ['-c', script], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  rmSync(cwd, { recursive: true });
  if (stderr !== '') {
    throw new Error(stderr);
  }
  return (output[3] ?? '')
    .split('\n\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

export const pages = globSync(['*.md', 'docs/*.md'], { cwd: root }).map((page) =>
  page.replaceAll('\\', '/'),
);

/** Returns the commands of AWS, CDK and npm on pages that have some which need an AWS account. */
export const readPageCommands = (): PageCommand[] =>
  pages.flatMap((page) => {
    const text = readPage(page);
    const inline = [...text.matchAll(/`((?:aws|(?:npx )?cdk) [a-z][^`]+)`/g)].map(([, code = '']) =>
      code.replaceAll('\n', ' '),
    );
    const marked = codeBlocks(text, 'sh aws');
    const blocks = marked.length > 0 ? codeBlocks(text, 'sh') : [];
    return runRecorded([...blocks, ...inline]).map((words) => ({ page, words }));
  });
