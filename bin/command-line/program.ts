import { createInterface } from 'node:readline';
import { Command, CommanderError } from 'commander';
import { explain } from './explain.ts';
import {
  refuseOptionsAsValues,
  refuseOptionsOfNpm,
  refuseSecretArguments,
} from './refused-arguments.ts';
import { addTargetOptions, type TargetOptions } from './target.ts';

/** Makes a program to which commands can be added. Its errors are one line each. */
export const newProgram = (name: string): Command =>
  new Command(name).exitOverride().configureOutput({
    outputError(text) {
      // Commander adds a suggestion on the next line, or says only what is wrong.
      const line = text.trim().replaceAll('\n', ' ');
      console.error(/[.)…]$/.test(line) ? line : `${line}. Add --help to see how.`);
    },
  });

/**
 * Runs the command that the process was given, with the options that choose a target. Refuses
 * arguments that are surely a mistake. Prints errors, and returns the exit code.
 */
export async function runCommand(program: Command, insteadOfTokens: string): Promise<number> {
  endOnClosedOutput();
  let options: TargetOptions | undefined;
  program.hook('preAction', (_, command) => {
    options = command.opts();
  });
  const commands = program.commands.length > 0 ? program.commands : [program];
  commands.forEach(addTargetOptions);
  refuseOptionsAsValues(commands);
  try {
    refuseSecretArguments(program, insteadOfTokens);
    refuseOptionsOfNpm(program);
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode;
    }
    console.error(`error: ${explain(error, options)}`);
    return 1;
  } finally {
    // Stdin would keep the process alive until its writer closes it.
    process.stdin.destroy();
  }
}

/** Returns the first line of standard input, or an empty text. */
export async function readFirstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) {
    return line;
  }
  return '';
}

/**
 * Ends the process once its output cannot be written. It ends quietly if the reader is gone, as
 * `| head -1` is after a line, and otherwise with an error of one line: on a full disk, say.
 */
function endOnClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      process.exit();
    }
    console.error(`error: The output cannot be written: ${error.message}. Send it elsewhere.`);
    process.exit(1);
  });
  // Nothing can be said any more.
  process.stderr.on('error', () => process.exit(1));
}
