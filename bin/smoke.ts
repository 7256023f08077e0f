import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Command } from 'commander';
import { issueToken, revokeToken } from '../functions/access-tokens/administration.ts';
import { allScopes, type Scope } from '../functions/contract/scopes.ts';
import { explain } from './token/explain.ts';
import { openTarget, outputOf, type TargetOptions, targetOptions } from './token/target.ts';

const program = new Command('npm run smoke --')
  .description('Runs the contract suite against the deployed stack, with access tokens of its own that it revokes afterwards.')
  .option('--base-url <url>', "where the API answers, if not at the stack's own base URL: at a custom domain, say");
for (const option of targetOptions.filter(({ long }) => ['--stack', '--profile', '--region'].includes(`${long}`)))
  program.addOption(option);
const options = program.parse().opts<TargetOptions & { baseUrl?: string }>();

const hour = 3600;
const issued: string[] = [];
let revoke = async (_id: string) => {};
// Ctrl-C reaches the suite too, and ends it: the tokens are revoked all the same.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

try {
  const baseUrl = options.baseUrl ?? (await outputOf(options, 'BaseUrl'));
  const target = await openTarget(options);
  revoke = async (id) => void (await revokeToken(...target, id));
  // Owners that nobody has: what the suite creates and deletes is its own.
  const [owner, otherOwner] = ['a', 'b'].map((name) => `smoke-${randomUUID()}-${name}`) as [string, string];
  const issue = async (of: string, scopes: Scope[] = allScopes, age = 0) => {
    const now = () => Date.now() - age * 1000;
    const expires = Math.floor(now() / 1000) + hour;
    const { id, token } = await issueToken(...target, { owner: of, scopes, label: 'npm run smoke', expires }, now);
    issued.push(id);
    return token;
  };

  const tokens = {
    token: await issue(owner),
    'other-token': await issue(otherOwner),
    'read-token': await issue(owner, ['plants:read']),
    'revoked-token': await issue(owner),
    'expired-token': await issue(owner, allScopes, 2 * hour),
  };
  await revoke(`${issued[3]}`);
  const given = Object.entries(tokens).flatMap(([name, token]) => [`--${name}`, token]);
  const suite = spawn(process.execPath, [join(import.meta.dirname, 'contract.ts'), '--base-url', baseUrl, ...given], { stdio: 'inherit' });
  const [code] = await once(suite, 'exit');
  process.exitCode = code ?? 1;
} catch (error) {
  console.error(`error: ${explain(error, options)}`);
  process.exitCode = 1;
} finally {
  for (const id of issued) {
    await revoke(id).catch((error) => {
      console.error(`error: the token ${id} could not be revoked: ${explain(error, options)}`);
      process.exitCode = 1;
    });
  }
}
