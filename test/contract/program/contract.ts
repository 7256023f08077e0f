import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { allScopes, type Scope, stageName } from '../../../functions/shared/operations.ts';
import { requireClock } from '../../../lib/administration/clock.ts';
import { formatExample, newProgram, runCommand } from '../../../lib/administration/program.ts';
import { readProxyVariables } from '../../../lib/administration/proxy-variables.ts';
import { type Target, withTarget } from '../../../lib/administration/target.ts';
import {
  addTargetOptions,
  type TargetOptions,
} from '../../../lib/administration/target-options.ts';
import { CommandError } from '../../../lib/command-line/command-error.ts';
import { defaultPorts } from '../../../lib/command-line/default-ports.ts';
import { deleteToken, issueToken, revokeToken } from '../../../lib/tokens/tokens.ts';
import { root } from '../../support/checkout.ts';
import { type Api, expectPlantStore, lifeAfterRevocation } from './deployment.ts';

type Options = TargetOptions & {
  dynamodbEndpoint?: string;
  baseUrl?: string;
  samLocal?: true;
  except?: string[];
};

const program = newProgram('npm run -s contract --')
  .description(
    'Runs the contract tests over HTTP against an "npm start" or a deployed stack. ' +
      'Issues the access tokens that the tests need, and deletes them.',
  )
  .option('--base-url <url>', 'base URL of the API, if not the address of the stack', (text) => {
    if (URL.canParse(text) && /^https?:/.test(text)) {
      return text.replace(/\/$/, '');
    }
    throw new InvalidArgumentError('A base URL looks like https://…/v1.');
  })
  .option('--sam-local', 'leave out the tests that SAM CLI cannot pass')
  .option('--except <words...>', 'leave out tests with these words in their names')
  .addHelpText(
    'after',
    formatExample('npm run -s contract -- --stack PlantStore --region eu-central-1'),
  );
addTargetOptions(program).action((options) =>
  withTarget(options, (target) => testContract(target, options)),
);
process.exitCode = await runCommand(program, 'This command issues its own tokens.');

async function testContract(target: Target, options: Options): Promise<void> {
  const { samLocal = false, except = [] } = options;
  requireClock(target.clock);
  const baseUrl = options.baseUrl ?? target.baseUrl?.() ?? requireLocalApi(options);
  const proxy = options.localhost ? {} : readProxyVariables();
  const isHttps = baseUrl.startsWith('https:');
  const api: Api = { baseUrl, agent: isHttps && new Agent({ proxyEnv: proxy }) };
  await expectPlantStore(api);
  const tokens = tokensOfRun(target);
  try {
    const plants = samLocal ? 200 : 1200;
    console.log(
      `Testing ${baseUrl} with ${target.name}. About ${plants} plants are created and deleted again.`,
    );
    const tested = {
      baseUrl,
      isSam: samLocal,
      isDeployed: !options.localhost,
      proxy,
      ...(await tokens.ofSuite()),
    };
    const stopped = new AbortController();
    const suite = runSuite(tested, except, target.caBundle);
    const life = options.localhost
      ? undefined
      : lifeAfterRevocation(api, target, await tokens.issue('d'), stopped.signal);
    const outcome = await suite;
    if (outcome === 'interrupted') {
      stopped.abort();
      await life?.catch(() => undefined);
      throw new CommandError(
        `interrupted. Plants of ${tokens.nameOwner('a')} and ${tokens.nameOwner('b')} may remain. ` +
          'Remove them with "npm run -s plants -- erase --owner NAME".',
      );
    }
    const revocation = await life;
    if (revocation !== undefined) {
      console.log(revocation.line);
    }
    if (outcome === 'failed' || revocation?.isExpected === false) {
      throw new CommandError(`${baseUrl} breaks the contract, as shown above.`);
    }
  } finally {
    await tokens.deleteAll();
  }
}

/** Returns the base URL of an `npm start` on its default ports. */
function requireLocalApi({ dynamodbEndpoint }: { dynamodbEndpoint?: string }): string {
  if (dynamodbEndpoint !== undefined) {
    throw new CommandError(
      `The API with the database ${dynamodbEndpoint} is not known. Name it with --base-url.`,
    );
  }
  return `http://127.0.0.1:${defaultPorts.api}/${stageName}`;
}

/** Issues the tokens of one run, each for a new owner, and deletes them. */
function tokensOfRun({ database, tables: { accessTokens: table } }: Target) {
  const run = randomUUID();
  const issued: string[] = [];
  const nameOwner = (letter: string) => `contract-${run}-${letter}`;

  async function issue(
    letter: string,
    { scopes = allScopes, age = 0 }: { scopes?: readonly Scope[]; age?: number } = {},
  ) {
    const now = () => Date.now() - age * 1000;
    const label = 'npm run contract';
    const newToken = { owner: nameOwner(letter), scopes, label, lifetime: 3600 };
    const { id, token } = await issueToken(database, table, newToken, now);
    issued.push(id);
    return { id, token };
  }

  /** Issues the tokens that the suite needs. */
  async function ofSuite() {
    const revoked = await issue('a');
    await revokeToken(database, table, revoked.id);
    return {
      token: (await issue('a')).token,
      otherToken: (await issue('b')).token,
      readToken: (await issue('c', { scopes: ['plants:read'] })).token,
      revokedToken: revoked.token,
      expiredToken: (await issue('a', { age: 7200 })).token,
    };
  }

  async function deleteAll(): Promise<void> {
    const deleted = await Promise.allSettled(issued.map((id) => deleteToken(database, table, id)));
    const failed = issued.filter((_, i) => deleted[i]?.status === 'rejected');
    if (failed.length > 0) {
      throw new Error(
        `Could not delete these tokens, which expire in an hour: ${failed.join(' ')}.`,
      );
    }
  }

  return { nameOwner, issue, ofSuite, deleteAll };
}

/**
 * Runs the contract tests, except tests with these words in their names. The tests delete their
 * plants at the end, so only a second signal stops them. On Windows, Ctrl-C also reaches the tests.
 */
async function runSuite(
  tested: object,
  except: string[],
  caBundle?: string,
): Promise<'passed' | 'failed' | 'interrupted'> {
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const args = [...options, jest, '--runInBand', 'test/contract/contract.test.ts'];
  // SAM CLI can take half a second for a request, and some tests send a hundred.
  args.push('--testTimeout=300000');
  if (except.length > 0) {
    args.push(`--testNamePattern=^(?!.*(?:${except.map(RegExp.escape).join('|')}))`);
    console.log(`Left out: tests with these words in their names: ${except.join('; ')}.`);
  }
  const environment = {
    CONTRACT_STORE: JSON.stringify(tested),
    TEST_VARIABLES: 'CONTRACT_',
    ...(caBundle && { NODE_EXTRA_CA_CERTS: caBundle }),
  };
  const isSeparate = process.platform !== 'win32';
  const suite = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
    // Use a separate process group, so that Ctrl-C reaches only this program.
    detached: isSeparate,
  });
  let first: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now();
        if (isSeparate) {
          console.error(
            'Waiting for the tests to delete their plants. Press Ctrl-C again to stop at once.',
          );
        }
        // npm and the launcher pass one Ctrl-C on several times.
      } else if (performance.now() - first > 1000) {
        suite.kill('SIGKILL');
      }
    });
  }
  const [code] = await once(suite, 'exit');
  if (code === 0) {
    return 'passed';
  }
  // Jest exits with 1 after failed tests.
  return code === 1 ? 'failed' : 'interrupted';
}
