import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { connect, requestHandlerOptions } from '../../functions/dynamodb/client.ts';
import { type TableName, tableIds } from '../../functions/shared/table-schema.ts';
import { CommandError } from '../command-line/command-error.ts';
import { escapeControls } from '../command-line/escape-controls.ts';
import { makeLocalConfig } from '../local/database/client.ts';
import { defaultEndpoint } from '../local/options.ts';
import { type AwsAccount, chooseAccount } from './aws-account.ts';
import { type Clock, watchClock } from './clock.ts';
import { readProxyVariables } from './proxy-variables.ts';

/** The tables to use. Every command requires a target, so that none changes the wrong tables. */
export type TargetOptions = LocalTarget | StackTarget;

/** The database of a running `npm start`. */
export interface LocalTarget {
  localhost: true;
  dynamodbEndpoint: string;
}

/** A deployed stack. */
export interface StackTarget {
  localhost?: undefined;
  stack: string;
  profile?: string;
  region?: string;
}

const makeTargetOptions = (): Option[] =>
  [
    new Option('--localhost', `the database of "npm start" at ${defaultEndpoint}`)
      .conflicts(['stack', 'profile', 'region'])
      .implies({ dynamodbEndpoint: defaultEndpoint }),
    new Option('--dynamodb-endpoint <url>', 'a local database at this address')
      .argParser(parseHttpUrl)
      .implies({ localhost: true }),
    new Option('--stack <name>', 'a deployed stack, like PlantStore'),
    new Option('--profile <name>', 'AWS profile'),
    new Option('--region <name>', 'AWS region'),
  ].map((option) => option.helpGroup('Target:'));

/** Adds the options that choose a target to a command, which refuses to run without one. */
export function addTargetOptions(command: Command): void {
  for (const option of makeTargetOptions()) {
    command.addOption(option);
  }
  command.hook('preAction', () => {
    const { localhost, stack } = command.opts();
    if (!localhost && stack === undefined) {
      command.error(
        'error: No target given. Use --localhost for the running "npm start", or --stack ' +
          'PlantStore for the deployed stack of that name.',
      );
    }
  });
}

function parseHttpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new InvalidArgumentError(`An address looks like ${defaultEndpoint}.`);
  }
  return text;
}

/** In milliseconds. Three attempts end within ten seconds, even if a server never responds. */
const limits = { connection: 3000, attempt: 3000 };

export interface Target {
  /** Where the tables are, in words. */
  name: string;
  database: DynamoDBDocumentClient;
  /** Names of the tables. */
  tables: Record<TableName, string>;
  clock: Clock;
  /** Returns the base URL of a stack's API. */
  baseUrl?: () => string;
  /** A file with the only certificates that TLS connections trust. */
  caBundle?: string;
}

/**
 * Connects to the database that the options name, and finds its tables. Prints the account and the
 * region of a stack. The client never retries a write that may have taken effect.
 */
export async function openTarget(options: TargetOptions): Promise<Target> {
  const clock: Clock = {};
  if (options.localhost) {
    const { dynamodbEndpoint: name } = options;
    const database = connect({
      ...makeLocalConfig(name),
      requestHandler: requestHandlerOptions(limits),
    });
    watchClock(database, clock);
    return { name, database, tables: tableIds, clock };
  }
  const requestHandler = requestHandlerOptions(limits, { proxyEnv: readProxyVariables() });
  const { account, ...trust } = await chooseAccount(options, requestHandler);
  const stack = await describeStack(options.stack, account, clock);
  console.error(`Using ${stack.name}.`);
  const database = connect(account);
  return { ...stack, ...trust, database, clock };
}

/** Reads the outputs of a deployed stack. Throws a CommandError if one is missing or impossible. */
async function describeStack(
  stack: string,
  account: AwsAccount,
  clock: Clock,
): Promise<Omit<Target, 'database' | 'clock'>> {
  // Loaded only for stacks: npm start would take longer to start.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const cloudFormation = new CloudFormationClient(account);
  watchClock(cloudFormation, clock);
  const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
  const [{ StackId = '', Outputs = [] } = {}] = Stacks ?? [];
  function output(name: string, form: RegExp): string {
    const value = Outputs.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (!value || !form.test(value)) {
      const problem = value ? `the output ${name} "${value}"` : `no output ${name}`;
      throw new CommandError(
        `The stack ${stack} has ${problem}. It is not a plant store, or its deployment did not ` +
          'finish. Run "npx cdk deploy", or choose another with --stack.',
      );
    }
    return value;
  }
  // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
  const [, , , region, accountId] = StackId.split(':');
  return {
    name: escapeControls(`the stack ${stack} in ${region} of the account ${accountId}`),
    tables: {
      plants: output(`${tableIds.plants}TableName`, tableName),
      accessTokens: output(`${tableIds.accessTokens}TableName`, tableName),
    },
    baseUrl: () => output('BaseUrl', /^https:/),
  };
}

/** DynamoDB takes an ARN too, even of another account. */
const tableName = /^[A-Za-z0-9_.-]{3,255}$/;
