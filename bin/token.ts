import { Command, Option } from 'commander';
import { allScopes, type Scope } from '../functions/contract/scopes.ts';
import { example } from './command-line/example.ts';
import { refuseOptionsAsValues } from './command-line/options-as-values.ts';
import { refuseOptionsOfNpm } from './command-line/options-of-npm.ts';
import {
  type IssuedToken,
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
} from './token/administration.ts';
import { durationOf } from './token/duration.ts';
import { explain } from './token/explain.ts';
import { idFrom } from './token/id.ts';
import { expiry, jsonOf, tableOf } from './token/output.ts';
import { refuseSecretArguments } from './token/secrets.ts';
import { openTarget, type Target, type TargetOptions, targetOptions } from './token/target.ts';

refuseSecretArguments(
  'Where a command takes an id, it takes - too, and then reads the token from standard input.',
);

const program = new Command('npm run -s token --')
  .description(
    'Administers access tokens. Results go to stdout, and words for people go to stderr.',
  )
  .configureOutput({
    // An error is one line, also where commander adds a suggestion on the next.
    outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')}\n`),
  });

interface Lifetime {
  expiresIn: number | 'never';
}

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
  .action(
    run(
      async (
        target,
        {
          owner,
          scope,
          label,
          expiresIn,
        }: Lifetime & { owner: string; scope: Scope[]; label: string },
      ) => {
        show(
          await issueToken(...target, {
            owner,
            scopes: scope,
            label,
            expires: expiresAt(expiresIn),
          }),
        );
      },
    ),
  );

program
  .command('list')
  .addHelpText('after', example('npm run -s token -- list --owner alice'))
  .description('Lists the tokens, without their secrets.')
  .option('--owner <name>', 'only those of this owner')
  .option('--json', 'as JSON')
  .action(
    run(async (target, { owner, json }: { owner?: string; json?: true }) => {
      const tokens = await listTokens(...target, owner);
      console.log(json ? jsonOf(tokens, Date.now()) : tableOf(tokens, Date.now()));
    }),
  );

program
  .command('revoke')
  .addHelpText('after', example('npm run -s token -- revoke 0123456789Ab'))
  .argument('<id>', idHelp)
  .description('Ends a token for good.')
  .action(
    run(async (target, _options, argument: string) => {
      const { id, owner } = await revokeToken(...target, await idFrom(argument));
      console.error(
        `Revoked ${id} of ${owner}. API Gateway may accept it for up to 60 s more, or for as ` +
          'long as the setting authorizer-cache says.',
      );
    }),
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
  .action(
    run(
      async (target, { overlap, expiresIn }: Lifetime & { overlap: number }, argument: string) => {
        const { replaced, ...issued } = await rotateToken(...target, await idFrom(argument), {
          overlap,
          expires: expiresAt(expiresIn),
        });
        show(issued);
        console.error(`It replaces ${replaced.id}, which works until ${expiry(replaced.expires)}.`);
      },
    ),
  );

for (const command of program.commands)
  for (const option of targetOptions) command.addOption(option);
refuseOptionsAsValues(program.commands);
refuseOptionsOfNpm(program);
await program.parseAsync();

/** Returns an action that opens the target of its options, and explains any error in one line. */
function run<O>(work: (target: Target, options: O, ...args: string[]) => Promise<void>) {
  return async (...given: unknown[]) => {
    // Commander passes the arguments, then the options, then the command.
    const options = given.at(-2) as O & TargetOptions;
    try {
      await work(await openTarget(options), options, ...(given.slice(0, -2) as string[]));
    } catch (error) {
      program.error(`error: ${explain(error, options)}`);
    }
  };
}

function show({ id, token, record }: IssuedToken): void {
  console.log(token);
  console.error(
    `${id}: ${record.scopes.join(' ')} for ${record.owner}; ` +
      `expires: ${expiry(record.expires)}. It cannot be shown again.`,
  );
}

function expiresAt(lifetime: number | 'never'): number | undefined {
  return lifetime === 'never' ? undefined : Math.floor(Date.now() / 1000) + lifetime;
}
