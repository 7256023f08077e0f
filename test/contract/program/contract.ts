import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { Command, InvalidArgumentError, Option } from 'commander';
import { explain } from '../../../bin/administration/explain.ts';
import { completeCommands } from '../../../bin/administration/program.ts';
import { findRunning } from '../../../bin/administration/running.ts';
import { accountOf, openTarget, outputOf } from '../../../bin/administration/target.ts';
import type { TargetOptions } from '../../../bin/administration/target-options.ts';
import { example } from '../../../bin/command-line/example.ts';
import {
  authorizerFailure,
  expectAnswer,
  lifeAfterRevocation,
  metricsOfFailure,
} from './deployment.ts';
import { runSuite } from './suite.ts';
import { tokensOfRun } from './tokens.ts';

interface Options extends TargetOptions {
  baseUrl?: string;
  target: 'aws' | 'sam';
  except?: string[];
  failAuthorizer?: true;
}

const program = new Command('npm run contract --')
  .description(
    'Runs the contract tests over HTTP against the running "npm start" or, if there is none, ' +
      'against the deployed stack. Issues the access tokens that they need and revokes them.',
  )
  .addOption(
    new Option('--base-url <url>', 'where the API answers, if not at the address of the stack')
      .env('CONTRACT_BASE_URL')
      .argParser(baseUrlOf),
  )
  .addOption(
    new Option('--target <kind>', 'sam leaves out what SAM CLI answers in its own words')
      .env('CONTRACT_TARGET')
      .choices(['aws', 'sam'])
      .default('aws'),
  )
  .option('--except <words...>', 'leave out the tests with these words in their names')
  .option('--fail-authorizer', 'also make the authorizer fail once, which rings its alarm')
  .addHelpText(
    'after',
    `${example('npm run contract -- --stack PlantStore --region eu-central-1')}

For a plant store whose table of access tokens is out of reach, give --base-url and, in the
environment, tokens of owners without plants:
  CONTRACT_TOKEN          with both scopes
  CONTRACT_OTHER_TOKEN    with both scopes, of another owner
  CONTRACT_READ_TOKEN     with the scope plants:read alone
  CONTRACT_REVOKED_TOKEN  revoked (may be left out)
  CONTRACT_EXPIRED_TOKEN  expired (may be left out)`,
  );
completeCommands(program, 'Tokens for this command go into the environment, as its --help says.');
const options = program.parse().opts<Options>();

try {
  process.exitCode = await (hasTokens() ? runWithGivenTokens() : runWithOwnTokens());
} catch (error) {
  console.error(`error: ${explain(error, options)}`);
  process.exitCode = 1;
}

function hasTokens(): boolean {
  const names = ['CONTRACT_TOKEN', 'CONTRACT_OTHER_TOKEN', 'CONTRACT_READ_TOKEN'];
  const missing = names.filter((name) => !process.env[name]);
  if (missing.length === names.length) return false;
  if (!options.baseUrl) missing.push('--base-url');
  if (missing.length > 0)
    program.error(`error: Some of the tokens are given, and this is missing: ${missing.join(' ')}`);
  return true;
}

async function runWithGivenTokens(): Promise<number> {
  await expectAnswer(`${options.baseUrl}`);
  return run(`${options.baseUrl}`, 'with the tokens of the environment', {});
}

async function runWithOwnTokens(): Promise<number> {
  const running = findRunning();
  const isChosen = ['baseUrl', 'localhost', 'stack', 'profile', 'region'].some(
    (name) => (program.getOptionValueSource(name) ?? 'default') !== 'default',
  );
  if (running && !isChosen) options.localhost = true;
  const where = options.localhost ? 'the running "npm start"' : `the stack ${options.stack}`;
  const baseUrl =
    options.baseUrl ??
    (options.localhost
      ? (running?.baseUrl ?? 'http://127.0.0.1:3000/v1')
      : await outputOf(options, 'BaseUrl'));
  await expectAnswer(baseUrl);
  const target = await openTarget(options);
  const tokens = tokensOfRun(target);
  try {
    const environment = await tokens.forSuite();
    if (options.localhost) return await run(baseUrl, where, environment);
    const [revoked, damaged] = [await tokens.issue('d'), await tokens.issue('e')];
    const suite = run(baseUrl, where, environment);
    const since = new Date();
    const cloudWatch = new CloudWatchClient(accountOf(options));
    const lines = [
      lifeAfterRevocation(baseUrl, target, revoked),
      options.failAuthorizer
        ? authorizerFailure(baseUrl, target, damaged)
        : 'Not tried: a failure of the authorizer, because it rings an alarm (--fail-authorizer)',
      ...(options.failAuthorizer ? [metricsOfFailure(cloudWatch, options.stack, since)] : []),
    ].map(async (line) => {
      try {
        return await line;
      } catch (error) {
        return `Differs: ${explain(error, options)}`;
      }
    });
    const exitCode = await suite;
    const told = await Promise.all(lines);
    console.log(told.join('\n'));
    return told.some((line) => line.startsWith('Differs')) ? 1 : exitCode;
  } finally {
    await tokens.revokeAll();
  }
}

function run(baseUrl: string, where: string, tokens: Record<string, string>): Promise<number> {
  const plants = options.target === 'sam' ? 200 : 1200;
  console.log(
    `Testing ${baseUrl}, ${where}. About ${plants} plants are created and deleted again. ` +
      'If an owner of a token has plants already, nothing is done.',
  );
  const CONTRACT_TARGET = options.localhost ? 'local' : options.target;
  const environment = { CONTRACT_BASE_URL: baseUrl, CONTRACT_TARGET, ...tokens };
  return runSuite(environment, options.except ?? []);
}

function baseUrlOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('A base URL looks like https://…/v1.');
  return text.replace(/\/$/, '');
}
