import { Command, CommanderError } from 'commander';
import { formatError } from '../command-line/command-error.ts';
import { deleteEmptyVariables } from '../command-line/environment.ts';
import {
  refuseOptionsAsValues,
  refuseOptionsOfNpm,
  refuseSecretArguments,
} from '../command-line/refused-arguments.ts';

/** Creates a program that prints each error in one line. */
export const newProgram = (name: string): Command =>
  new Command(name).exitOverride().configureOutput({
    outputError(text) {
      // Commander puts a suggestion on a second line, or gives none.
      const line = text.trim().replaceAll('\n', ' ');
      console.error(/[.)…]$/.test(line) ? line : `${line}. Run it with --help for usage.`);
    },
  });

/** Returns the end of a command's help, for `.addHelpText('after', …)`. */
export const formatExample = (command: string): string => `\nExample:\n  ${command}`;

/**
 * Rejects arguments that cannot be meant, and runs the command. Prints errors. Returns the exit
 * code.
 */
export async function runCommand(program: Command, insteadOfTokens: string): Promise<number> {
  exitOnClosedOutput();
  refuseOptionsAsValues(program.commands.length > 0 ? program.commands : [program]);
  try {
    refuseSecretArguments(program, insteadOfTokens);
    refuseOptionsOfNpm(program);
    deleteEmptyVariables();
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode;
    }
    console.error(`error: ${formatError(error as Error)}`);
    return 1;
  } finally {
    // An open stdin would keep the process running.
    process.stdin.destroy();
  }
}

/**
 * Exits if the output cannot be written: silently if its reader has gone, as `| head -1` does after
 * a line, otherwise with an error of one line.
 */
function exitOnClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      process.exit();
    }
    console.error(`error: Cannot write the output: ${error.message}. Redirect it elsewhere.`);
    process.exit(1);
  });
}
