import { Command, Option } from 'commander';
import { allScopes, type Scope } from '../functions/contract/scopes.ts';
import {
  type IssuedToken,
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
} from './token/administration.ts';
import { durationOf } from './token/duration.ts';
import { explain, withoutSecrets } from './token/explain.ts';
import { expiry, jsonOf, tableOf } from './token/output.ts';
import { openTarget, type Target, type TargetOptions, targetOptions } from './token/target.ts';

const program = new Command('npm run -s token --')
  .description(
    'Administers access tokens. What a program may want is on stdout, words for people are on stderr.',
  )
  .configureOutput({
    // One line, and without the secret that someone may have typed in the wrong place.
    outputError: (text, write) => write(`${withoutSecrets(text.trim().replaceAll('\n', ' '))}\n`),
  });

interface Lifetime {
  expiresIn: number | 'never';
}

const lifetimeOption = new Option(
  '--expires-in <duration>',
  'how long the new token works: 15m, 12h, 90d, or never',
)
  .argParser((text) =>
    text === 'never' ? text : durationOf(text, 1, 'Say something like 15m, 12h or 90d, or never.'),
  )
  .default(90 * 86_400, '90d');

program
  .command('issue')
  .description('Makes a new token and prints it, alone, on stdout. It is shown this once.')
  .requiredOption('--owner <name>', 'whose plants the token gives access to')
  .addOption(
    new Option('--scope <scope...>', 'what the token may be used for')
      .choices(allScopes)
      .default(allScopes),
  )
  .addOption(lifetimeOption)
  .option('--label <text>', 'a note on what it is for', '')
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
  .command('revoke <id>')
  .description('Ends a token for good.')
  .action(
    run(async (target, _options, id: string) => {
      const { id: revoked, owner } = await revokeToken(...target, id);
      console.error(
        `Revoked ${revoked} of ${owner}. The gateway forgets it within its authorizer cache: 60 s unless deployed otherwise.`,
      );
    }),
  );

program
  .command('rotate <id>')
  .description('Makes a new token with the owner, scopes and label of another, which soon expires.')
  .addOption(
    new Option('--overlap <duration>', 'how long the other one still works')
      .argParser((text) => durationOf(text, 0, 'Say something like 0s, 15m or 12h.'))
      .default(3600, '1h'),
  )
  .addOption(lifetimeOption)
  .action(
    run(async (target, { overlap, expiresIn }: Lifetime & { overlap: number }, id: string) => {
      const { replaced, ...issued } = await rotateToken(...target, id, {
        overlap,
        expires: expiresAt(expiresIn),
      });
      show(issued);
      console.error(`It replaces ${replaced.id}, which works until ${expiry(replaced.expires)}.`);
    }),
  );

for (const command of program.commands)
  for (const option of targetOptions) command.addOption(option);
await program.parseAsync();

/** An action that finds out where the tokens are, works on them there, and gives whatever goes wrong one line. */
function run<O>(work: (target: Target, options: O, ...args: string[]) => Promise<void>) {
  return async (...given: unknown[]) => {
    // In commander's order: the arguments, the options, the command.
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
    `${id}: ${record.scopes.join(' ')} for ${record.owner}; expires: ${expiry(record.expires)}. It cannot be shown again.`,
  );
}

function expiresAt(lifetime: number | 'never'): number | undefined {
  return lifetime === 'never' ? undefined : Math.floor(Date.now() / 1000) + lifetime;
}
