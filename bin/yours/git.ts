import { spawnSync } from 'node:child_process';

/** Thrown if git, or another program, ends with an error. Its message is what was printed. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Runs a program in a folder. Returns what it prints. */
export function run(folder: string, command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (error) {
    throw error;
  }
  if (status === 0) {
    return stdout;
  }
  throw new CommandError(`${stdout}${stderr}`.trim() || `${command} ${args[0]} failed`);
}

/** Runs git in a folder. Returns what it prints, without the end of the line. */
export const git = (folder: string, ...args: string[]): string =>
  run(folder, 'git', args).replace(/\n$/, '');

/** Returns the files that git knows, or those of them that these paths and patterns match. */
export const filesOf = (folder: string, ...pathspecs: string[]): string[] =>
  git(folder, 'ls-files', '-z', '--', ...pathspecs)
    .split('\0')
    .filter((file) => file !== '');

/** Makes the work tree what was committed last. */
function restore(folder: string): void {
  git(folder, 'reset', '-q', '--hard');
  git(folder, 'clean', '-qfd');
}

/**
 * Changes a work tree that had no changes before. If that fails, or a signal ends this process, all
 * is as it was before.
 */
export function changeOrRestore<T>(folder: string, change: () => T): T {
  const undo = (): never => {
    restore(folder);
    process.exit(1);
  };
  process.once('SIGINT', undo).once('SIGTERM', undo);
  try {
    return change();
  } catch (error) {
    restore(folder);
    throw error;
  } finally {
    process.off('SIGINT', undo).off('SIGTERM', undo);
  }
}

/** Returns what stands in the way of a change that can be undone, or undefined. */
export function unclean(folder: string): string | undefined {
  try {
    git(folder, 'rev-parse', '--verify', '-q', 'HEAD');
  } catch {
    return 'This is no git repository with a commit. Run "git init" and commit all files first.';
  }
  const changed = git(folder, 'status', '--porcelain', '--untracked-files=all');
  if (changed !== '') {
    const lines = changed.split('\n');
    const more = lines.length > 10 ? `\n… and ${lines.length - 10} more` : '';
    return (
      'The work tree is not clean. Commit or remove these files first:\n' +
      `${lines.slice(0, 10).join('\n')}${more}`
    );
  }
  try {
    git(folder, 'var', 'GIT_COMMITTER_IDENT');
  } catch {
    return 'git does not know who commits. Run git config user.name and git config user.email.';
  }
  return undefined;
}
