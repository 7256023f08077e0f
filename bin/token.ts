import { Command, Option } from 'commander';
import { allScopes } from '../functions/shared/operations.ts';
import { explain } from './administration/explain.ts';
import { type TargetOptions, targetOptions } from './administration/target-options.ts';
import { example } from './command-line/example.ts';
import { refuseOptionsAsValues, refuseOptionsOfNpm } from './command-line/refused-options.ts';
import { refuseSecretArguments } from './command-line/secret-arguments.ts';
import type { IssueOptions, ListOptions, RotateOptions } from './token/actions.ts';
import { durationOf } from './token/duration.ts';
import { idFrom } from './token/id.ts';

refuseSecretArguments(
  'Where a command takes an id, it takes - too, and then reads the token from standard input.',
);

const program = new Command('npm run -s token --')
  .description(
    'Administers access tokens. Results go to stdout, and words for people go to stderr.',
  )
  .configureOutput({
    // An error is one line, also if commander adds a suggestion on the next.
    outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')}\n`),
  });

const lifetimeOption = new Option(
  '--expires-in <duration>',
  'how long the new token works: 15m, 12h, 90d, or never',
)
  .argParser((text) =>
    text === 'never'
      ? text
      : durationOf(text, 1, 'A lifetime looks like 15m, 12h or 90d, or is never.'),
  )
  .default(90 * 86_400, '90d');

const idHelp = 'the id of the token, or - to read the whole token from standard input';

program
  .command('issue')
  .addHelpText('after', example('npm run -s token -- issue --owner alice --expires-in 30d'))
  .description('Makes a new token and prints it, alone, on stdout. It is never shown again.')
  .requiredOption('--owner <name>', 'whose plants the token gives access to')
  .addOption(
    new Option('--scope <scope...>', 'the scopes of the token')
      .choices(allScopes)
      .default(allScopes),
  )
  .addOption(lifetimeOption)
  .option('--label <text>', 'a note about its use', '')
  .action((options: IssueOptions) => run(options, ({ issue }) => issue(options)));

program
  .command('list')
  .addHelpText('after', example('npm run -s token -- list --owner alice'))
  .description('Lists the tokens, without their secrets.')
  .option('--owner <name>', 'only those of this owner')
  .option('--active', 'only those that are neither revoked nor expired')
  .option('--json', 'as JSON')
  .action((options: ListOptions) => run(options, ({ list }) => list(options)));

program
  .command('revoke')
  .addHelpText('after', example('npm run -s token -- revoke 0123456789Ab'))
  .argument('<id>', idHelp)
  .description('Ends a token for good.')
  .action((id: string, options: TargetOptions) =>
    run(options, async ({ revoke }) => revoke(options, await idFrom(id))),
  );

program
  .command('rotate')
  .addHelpText('after', example('npm run -s token -- rotate 0123456789Ab --overlap 24h'))
  .argument('<id>', idHelp)
  .description(
    'Replaces a token by one with the same owner, scopes and label. The old one expires soon.',
  )
  .addOption(
    new Option('--overlap <duration>', 'how long the old token still works')
      .argParser((text) => durationOf(text, 0, 'An overlap looks like 0s, 15m or 12h.'))
      .default(3600, '1h'),
  )
  .addOption(lifetimeOption)
  .action((id: string, options: RotateOptions) =>
    run(options, async ({ rotate }) => rotate(options, await idFrom(id))),
  );

for (const command of program.commands)
  for (const option of targetOptions) command.addOption(option);
refuseOptionsAsValues(program.commands);
refuseOptionsOfNpm(program);
await program.parseAsync();

/** Runs a command, and prints errors in one line. */
async function run(
  options: TargetOptions,
  command: (actions: typeof import('./token/actions.ts')) => Promise<void>,
): Promise<void> {
  try {
    await command(await import('./token/actions.ts'));
  } catch (error) {
    program.error(`error: ${explain(error, options)}`);
  }
}
