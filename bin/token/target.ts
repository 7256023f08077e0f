import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { InvalidArgumentError, Option } from 'commander';
import { localDocumentClient } from '../../lib/local/database/database-client.ts';
import { findRunning } from '../local/running.ts';
import { TokenError } from './administration.ts';

/** Where the tokens are: in the database of a running `npm start`, or in a deployed stack. */
export interface TargetOptions {
  local?: true;
  dynamodbEndpoint?: string;
  stack: string;
  profile?: string;
  region?: string;
}

/** The database, and the name of its table of access tokens. */
export type Target = [DynamoDBDocumentClient, table: string];

const timeouts = {
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

export const targetOptions = [
  new Option('--local', 'in the database of the running "npm start"').conflicts([
    'stack',
    'profile',
    'region',
  ]),
  new Option('--dynamodb-endpoint <url>', 'in a local database at this address')
    .argParser(httpUrl)
    .implies({ local: true }),
  new Option('--stack <name>', 'in this deployed stack').default('PlantStore'),
  new Option('--profile <name>', 'the AWS profile to use'),
  new Option('--region <name>', 'the AWS region to use'),
].map((option) => option.helpGroup('Where the tokens are:'));

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('An address looks like http://127.0.0.1:8000.');
  return text;
}

/** Returns the chosen address of the local database, or that of the running `npm start`. */
export const databaseEndpoint = ({ dynamodbEndpoint }: TargetOptions): string =>
  dynamodbEndpoint ?? findRunning()?.dynamodbEndpoint ?? 'http://127.0.0.1:8000';

/** Opens the database that the options name, and finds its table of access tokens. */
export async function openTarget(
  options: TargetOptions,
  more: DynamoDBClientConfig = {},
): Promise<Target> {
  const config = { ...timeouts, ...more };
  if (options.local) {
    // Locally, the name of a table is its logical id.
    return [localDocumentClient(databaseEndpoint(options), config), 'AccessTokens'];
  }
  return [
    connect({ ...accountOf(options), ...config }),
    await outputOf(options, 'AccessTokensTableName'),
  ];
}

const connect = (config: DynamoDBClientConfig) =>
  DynamoDBDocumentClient.from(new DynamoDBClient(config), {
    unmarshallOptions: { wrapNumbers: BigInt },
  });

/** Returns the account as the AWS CLI finds it, which reads one more variable than the SDK. */
function accountOf({ profile, ...options }: TargetOptions) {
  const region = options.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  return { ...(profile && { profile }), ...(region && { region }) };
}

/** Returns an output of the deployed stack. Throws a TokenError if it is missing. */
export async function outputOf(options: TargetOptions, name: string): Promise<string> {
  const cloudFormation = new CloudFormationClient({ ...accountOf(options), ...timeouts });
  const { Stacks } = await cloudFormation.send(
    new DescribeStacksCommand({ StackName: options.stack }),
  );
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  if (!output)
    throw new TokenError(
      `The stack ${options.stack} has no output ${name}. It is not a plant store, or its ` +
        'deployment did not finish.',
    );
  return output;
}
