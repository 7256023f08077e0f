import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { makeDocumentClient, requireObjects } from '../../functions/dynamodb/client.ts';
import { HandshakeAgent } from '../../functions/dynamodb/handshake-agent.ts';
import { protectWrites, RetryStrategy } from '../../functions/dynamodb/writes.ts';
import { type TableName, tableIds } from '../../functions/shared/table-schema.ts';
import { attempts } from '../../functions/shared/timeouts.ts';
import { localClient } from '../../lib/offline/database-client.ts';
import { CommandError } from './command-error.ts';
import { defaultPorts, findRunning } from './running.ts';

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

const targetOptions = (): Option[] =>
  [
    new Option('--localhost', 'the database of the running "npm start"').conflicts([
      'stack',
      'profile',
      'region',
    ]),
    new Option('--dynamodb-endpoint <url>', 'a local database at this address')
      .argParser(parseHttpUrl)
      .implies({ localhost: true }),
    new Option('--stack <name>', 'a deployed stack, like PlantStore'),
    new Option('--profile <name>', 'AWS profile'),
    new Option('--region <name>', 'AWS region'),
  ].map((option) => option.helpGroup('Target:'));

/** Adds the options that choose a target to a command, which refuses to run without one. */
export function addTargetOptions(command: Command): void {
  for (const option of targetOptions()) {
    command.addOption(option);
  }
  command.hook('preAction', async () => {
    const { localhost, stack, dynamodbEndpoint } = command.opts();
    if (localhost && dynamodbEndpoint === undefined) {
      const running = await findRunning();
      command.setOptionValue('dynamodbEndpoint', running?.dynamodbEndpoint ?? defaultEndpoint);
    }
    if (!localhost && stack === undefined) {
      command.error(
        'error: No target given. Use --localhost for the running "npm start", or --stack ' +
          'PlantStore for the deployed stack of that name.',
      );
    }
  });
}

const defaultEndpoint = `http://127.0.0.1:${defaultPorts.dynamodb}`;

function parseHttpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new InvalidArgumentError(`An address looks like ${defaultEndpoint}.`);
  }
  return text;
}

/** In milliseconds. Three attempts end within ten seconds, even if a server never responds. */
const timeouts = {
  requestHandler: {
    httpsAgent: new HandshakeAgent(3000),
    connectionTimeout: 3000,
    requestTimeout: 3000,
    throwOnRequestTimeout: true,
  },
};

export interface Target {
  database: DynamoDBDocumentClient;
  /** Names of the tables. */
  tables: Record<TableName, string>;
}

/**
 * Connects to the database that the options name, and finds its tables. The client never retries a
 * write that may have taken effect.
 */
export async function openTarget(options: TargetOptions): Promise<Target> {
  const config = { ...timeouts, retryStrategy: new RetryStrategy(attempts) };
  const client = options.localhost
    ? localClient(options.dynamodbEndpoint, config)
    : new DynamoDBClient({ ...chooseAccount(options), ...config });
  requireObjects(client);
  protectWrites(client);
  const tables = options.localhost ? tableIds : await findTables(options);
  return { database: makeDocumentClient(client), tables };
}

async function findTables(options: StackTarget): Promise<Record<TableName, string>> {
  const output = await readStackOutputs(options);
  return {
    plants: output(`${tableIds.plants}TableName`),
    accessTokens: output(`${tableIds.accessTokens}TableName`),
  };
}

/**
 * Reads the outputs of a deployed stack. Returns a function that looks one up, and throws a
 * CommandError if it is missing.
 */
export async function readStackOutputs(options: StackTarget): Promise<(name: string) => string> {
  // Loaded only for stacks: npm start would take longer to start.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const cloudFormation = new CloudFormationClient({ ...chooseAccount(options), ...timeouts });
  const describe = new DescribeStacksCommand({ StackName: options.stack });
  const { Stacks } = await cloudFormation.send(describe);
  const outputs = Stacks?.[0]?.Outputs ?? [];
  return (name) => {
    const output = outputs.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (!output) {
      throw new CommandError(
        `The stack ${options.stack} has no output ${name}. It is not a plant store, or its ` +
          'deployment did not finish. Run "npx cdk deploy", or choose another with --stack.',
      );
    }
    return output;
  };
}

interface Account {
  profile?: string;
  region?: string;
}

/** Chooses the account as the AWS CLI does. Unlike the SDK, it reads AWS_DEFAULT_REGION too. */
export function chooseAccount({ profile, ...options }: StackTarget): Account {
  const region = options.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  return { ...(profile && { profile }), ...(region && { region }) };
}
