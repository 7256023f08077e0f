import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Command } from 'commander';
import { tokenId } from '../functions/access-tokens/token.ts';
import { allScopes, type Scope } from '../functions/contract/scopes.ts';
import { issueToken, revokeToken } from './token/administration.ts';
import { explain } from './token/explain.ts';
import {
  openTarget,
  outputOf,
  type Target,
  type TargetOptions,
  targetOptions,
} from './token/target.ts';

const hour = 3600;
const program = new Command('npm run smoke --')
  .description(
    'Runs the contract suite against the deployed stack, with access tokens of its own that it revokes afterwards.',
  )
  .option(
    '--base-url <url>',
    "where the API answers, if not at the stack's own base URL: at a custom domain, say",
  )
  .option('--except <words...>', "leaves out the suite's tests whose names have these words");
for (const option of targetOptions.filter(({ long }) =>
  ['--stack', '--profile', '--region'].includes(`${long}`),
))
  program.addOption(option);
const options = program.parse().opts<TargetOptions & { baseUrl?: string; except?: string[] }>();

const issued: string[] = [];
const fail = (message: string) => {
  console.error(`error: ${message}`);
  process.exitCode = 1;
};

try {
  const baseUrl = options.baseUrl ?? (await outputOf(options, 'BaseUrl'));
  const target = await openTarget(options);
  try {
    process.exitCode = await runSuite(baseUrl, await issueTokens(target));
  } finally {
    for (const id of issued)
      await revokeToken(...target, id).catch((error) =>
        fail(`the token ${id} is not revoked: ${explain(error, options)}`),
      );
  }
} catch (error) {
  fail(explain(error, options));
}

/** The tokens that the suite asks for, by the variables that it takes them by. Their owners are new: what it creates and deletes is its own. */
async function issueTokens(target: Target): Promise<Record<string, string>> {
  const run = randomUUID();
  const issue = async (name: string, scopes: Scope[] = allScopes, age = 0) => {
    const now = () => Date.now() - age * 1000;
    const grant = {
      owner: `smoke-${run}-${name}`,
      scopes,
      label: 'npm run smoke',
      expires: Math.floor(now() / 1000) + hour,
    };
    const { id, token } = await issueToken(...target, grant, now);
    issued.push(id);
    return token;
  };
  const tokens = {
    CONTRACT_TOKEN: await issue('a'),
    CONTRACT_OTHER_TOKEN: await issue('b'),
    CONTRACT_READ_TOKEN: await issue('c', ['plants:read']),
    CONTRACT_REVOKED_TOKEN: await issue('a'),
    CONTRACT_EXPIRED_TOKEN: await issue('a', allScopes, 2 * hour),
  };
  await revokeToken(...target, tokenId(tokens.CONTRACT_REVOKED_TOKEN) ?? '');
  return tokens;
}

/** Its exit code. What interrupts this program interrupts the suite, which deletes its plants before it ends; then the tokens are revoked. */
async function runSuite(baseUrl: string, tokens: Record<string, string>): Promise<number> {
  const except = options.except ? ['--except', ...options.except] : [];
  const suite = spawn(
    process.execPath,
    [join(import.meta.dirname, 'contract.ts'), '--base-url', baseUrl, ...except],
    {
      env: { ...process.env, ...tokens },
      stdio: 'inherit',
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => suite.kill(signal));
  const [code] = await once(suite, 'exit');
  return code ?? 1;
}
