import { Command, CommanderError } from 'commander';
import { endOnClosedOutput } from '../command-line/closed-output.ts';
import {
  refuseOptionsAsValues,
  refuseOptionsOfNpm,
  refuseSecretArguments,
} from '../command-line/refused-arguments.ts';
import { explain } from './explain.ts';
import { addTargetOptions, type TargetOptions } from './target-options.ts';

/** Makes a program to which commands can be added. Its errors are one line each. */
export const administration = (name: string): Command =>
  new Command(name).exitOverride().configureOutput({
    // Commander adds a suggestion on the next line.
    outputError: (text) => console.error(text.trim().replaceAll('\n', ' ')),
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
