import { spawnSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { endingSignals, messageOf } from '../command-line/lifecycle.ts';

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
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT'
      ? new CommandError(`The program ${command} was not found. Install it, or add it to the PATH.`)
      : error;
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
 * is as it was before. The change has to await `heedSignals` between its steps.
 */
export async function changeOrRestore<T>(folder: string, change: () => Promise<T>): Promise<T> {
  const undo = (): never => {
    restore(folder);
    console.error(
      'error: Interrupted. The files are as they were before. ' +
        'If packages are missing, run "npm ci".',
    );
    process.exit(1);
  };
  for (const signal of endingSignals) {
    process.once(signal, undo);
  }
  try {
    return await change();
  } catch (error) {
    // Ctrl-C ends the program that was run, too, which then is not to blame.
    await heedSignals();
    restore(folder);
    throw error;
  } finally {
    for (const signal of endingSignals) {
      process.off(signal, undo);
    }
  }
}

/** Lets the handlers of signals run. Until then, signals wait for the program that `run` runs. */
export const heedSignals = (): Promise<void> => setImmediate();

/** Returns what stands in the way of a change that can be undone, or undefined. */
export function unclean(folder: string): string | undefined {
  try {
    git(folder, '--version');
  } catch (error) {
    return messageOf(error);
  }
  try {
    git(folder, 'rev-parse', '--verify', 'HEAD');
    // A repository that only surrounds the folder does not know its files.
    git(folder, 'ls-files', '--error-unmatch', '--', 'package.json');
  } catch (error) {
    return (
      'This is no git repository with a commit of these files. Unless git names another cause, ' +
      `run "git init" and commit all files first. git says:\n${messageOf(error)}`
    );
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
