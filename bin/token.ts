import { Option } from 'commander';
import { allScopes } from '../functions/shared/operations.ts';
import { describeClockError, requireClock } from '../lib/administration/clock.ts';
import { parseLifetime, parseOverlap } from '../lib/administration/durations.ts';
import { parseOwner } from '../lib/administration/owner.ts';
import { formatExample, newProgram, runCommand } from '../lib/administration/program.ts';
import { requireOutput } from '../lib/administration/secret.ts';
import { withTarget } from '../lib/administration/target.ts';
import { addTargetOptions } from '../lib/administration/target-options.ts';
import { readTokenId } from '../lib/administration/token-id.ts';
import {
  printIssued,
  printReplaced,
  printRevoked,
  printTokens,
} from '../lib/administration/token-output.ts';
import { issueToken, listTokens, revokeToken, rotateToken } from '../lib/tokens/tokens.ts';

/** Runs the command in the process's arguments. Returns the exit code. */
export function tokenProgram(): Promise<number> {
  const program = newProgram('npm run -s token --').description(
    'Administers access tokens. Prints results on stdout, and messages on stderr.',
  );
  const lifetime = (more = '') =>
    new Option('--expires-in <duration>', `lifetime: 15m, 12h, 90d or never${more}`).argParser(
      parseLifetime,
    );
  const overlap = new Option('--overlap <duration>', 'how long the old token still works')
    .argParser(parseOverlap)
    .default(3600, '1h');
  const scopes = new Option('--scope <scope...>', 'scopes of the token')
    .choices(allScopes)
    .default(allScopes);
  const idHelp = 'id of the token, or - to read the whole token from standard input';

  const issue = program
    .command('issue')
    .addHelpText('after', formatExample('npm run -s token -- issue --owner alice --localhost'))
    .description('Issues a token and prints it, alone, on stdout. It cannot be shown again.')
    .requiredOption(
      '--owner <name>',
      'owner of the plants that the token gives access to',
      parseOwner,
    )
    .addOption(scopes)
    .addOption(lifetime().default(90 * 86_400, '90d'))
    .option('--label <text>', 'note about its use', '');
  addTargetOptions(issue).action(async (options) => {
    const { owner, scope, label, expiresIn } = options;
    requireOutput();
    await withTarget(options, async ({ database, tables, clock }) => {
      requireClock(clock);
      const input = { owner, scopes: scope, label, lifetime: expiresIn };
      await printIssued(await issueToken(database, tables.accessTokens, input));
    });
  });

  const list = program
    .command('list')
    .addHelpText('after', formatExample('npm run -s token -- list --stack PlantStore --active'))
    .description('Lists the tokens, without their secrets.')
    .option('--owner <name>', 'only tokens of this owner', parseOwner)
    .option('--active', 'only tokens that work')
    .option('--json', 'print JSON');
  addTargetOptions(list).action(async (options) => {
    await withTarget(options, async ({ database, tables }) => {
      const all = await listTokens(database, tables.accessTokens, options.owner);
      const active = all.filter(
        (token) => token.kind !== 'unreadable' && token.status === 'active',
      );
      printTokens(options.active ? active : all, options);
    });
  });

  const revoke = program
    .command('revoke')
    .addHelpText(
      'after',
      formatExample('npm run -s token -- revoke 0123456789Ab --stack PlantStore'),
    )
    .argument('<id>', idHelp)
    .description('Revokes a token for good.');
  addTargetOptions(revoke).action(async (argument, options) => {
    const id = await readTokenId(argument);
    await withTarget(options, async ({ database, tables, clock }) => {
      const revoked = await revokeToken(database, tables.accessTokens, id);
      const clockError = describeClockError(clock);
      if (clockError !== undefined) {
        console.error(
          `The recorded time is wrong, because this computer's clock is ${clockError}.`,
        );
      }
      printRevoked(revoked);
    });
  });

  const rotate = program
    .command('rotate')
    .addHelpText(
      'after',
      formatExample('npm run -s token -- rotate 0123456789Ab --stack PlantStore'),
    )
    .argument('<id>', idHelp)
    .description(
      'Replaces a token with a new one that has the same owner, scopes, label and lifetime. The ' +
        'old one expires after the overlap.',
    )
    .addOption(overlap)
    .addOption(lifetime(' (default: same as the old token)'));
  addTargetOptions(rotate).action(async (argument, options) => {
    const id = await readTokenId(argument);
    requireOutput();
    await withTarget(options, async ({ database, tables, clock }) => {
      requireClock(clock);
      const rotation = {
        overlap: options.overlap,
        lifetime: options.expiresIn,
        show: printIssued,
      };
      printReplaced(id, await rotateToken(database, tables.accessTokens, id, rotation));
    });
  });

  return runCommand(
    program,
    'To give a whole token, use - in place of its id, and write the token to standard input.',
  );
}

if (import.meta.main) {
  process.exitCode = await tokenProgram();
}
