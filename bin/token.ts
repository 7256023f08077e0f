import { InvalidArgumentError, Option } from 'commander';
import { allScopes } from '../functions/shared/operations.ts';
import { administration, runCommand } from './administration/program.ts';
import { example } from './command-line/example.ts';

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns what parses a duration like `15m`, `12h` or `90d` into seconds, or refuses it. */
const duration =
  (least: number, hint: string) =>
  (text: string): number => {
    const [, count, unit = ''] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
    const seconds = Number(count) * (secondsOf[unit] ?? Number.NaN);
    // For a text of another form it is NaN.
    if (!(seconds >= least)) {
      throw new InvalidArgumentError(hint);
    }
    return seconds;
  };

/** Runs the command that the process was given, and returns its exit code. */
export function tokenProgram(): Promise<number> {
  const program = administration('npm run -s token --').description(
    'Administers access tokens. Results go to stdout, and words for people go to stderr.',
  );
  // Loading the SDK takes longer than everything else, so load it only for a valid command line.
  const actions = () => import('./token/actions.ts');

  const parseLifetime = duration(1, 'A lifetime looks like 15m, 12h or 90d, or is never.');
  const lifetime = (more = '') =>
    new Option('--expires-in <duration>', `for how long: 15m, 12h, 90d, or never${more}`).argParser(
      (text) => (text === 'never' ? text : parseLifetime(text)),
    );
  const overlap = new Option('--overlap <duration>', 'how long the old token still works')
    .argParser(duration(0, 'An overlap looks like 0s, 15m or 12h.'))
    .default(3600, '1h');
  const scopes = new Option('--scope <scope...>', 'the scopes of the token')
    .choices(allScopes)
    .default(allScopes);
  const idHelp = 'the id of the token, or - to read the whole token from standard input';

  program
    .command('issue')
    .addHelpText('after', example('npm run -s token -- issue --owner alice --localhost'))
    .description('Makes a new token and prints it, alone, on stdout. It is never shown again.')
    .requiredOption('--owner <name>', 'whose plants the token gives access to')
    .addOption(scopes)
    .addOption(lifetime().default(90 * 86_400, '90d'))
    .option('--label <text>', 'a note about its use', '')
    .action(async (options) => (await actions()).issue(options));

  program
    .command('list')
    .addHelpText('after', example('npm run -s token -- list --stack PlantStore --active'))
    .description('Lists the tokens, without their secrets.')
    .option('--owner <name>', 'only those of this owner')
    .option('--active', 'only those that are neither revoked nor expired')
    .option('--json', 'as JSON')
    .action(async (options) => (await actions()).list(options));

  program
    .command('revoke')
    .addHelpText('after', example('npm run -s token -- revoke 0123456789Ab --stack PlantStore'))
    .argument('<id>', idHelp)
    .description('Ends a token for good.')
    .action(async (id, options) => (await actions()).revoke(id, options));

  program
    .command('rotate')
    .addHelpText('after', example('npm run -s token -- rotate 0123456789Ab --stack PlantStore'))
    .argument('<id>', idHelp)
    .description(
      'Replaces a token by one with the same owner, scopes, label and lifetime, which begins ' +
        'anew. The old one expires soon.',
    )
    .addOption(overlap)
    .addOption(lifetime(' (default: as the old one)'))
    .action(async (id, options) => (await actions()).rotate(id, options));

  return runCommand(
    program,
    'Where a command takes an id, it takes - too, and then reads the token from standard input.',
  );
}

if (import.meta.main) {
  process.exitCode = await tokenProgram();
}
