import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { InvalidArgumentError, Option } from 'commander';
import { localDocumentClient } from '../../lib/local/database-client.ts';
import { TokenError } from './administration.ts';

/** Where the tokens are: with a running `npm start`, or in a deployed stack. */
export interface TargetOptions {
  local?: true;
  dynamodbEndpoint: string;
  stack: string;
  profile?: string;
  region?: string;
}

/** The database, and the name of the table of access tokens in it. */
export type Target = [DynamoDBDocumentClient, table: string];

const patience = {
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** The options that tell where the tokens are. */
export const targetOptions = [
  new Option('--local', 'in the database of a running "npm start"').conflicts([
    'stack',
    'profile',
    'region',
  ]),
  new Option('--dynamodb-endpoint <url>', 'in the database of an "npm start" at another address')
    .argParser(httpUrl)
    .default('http://127.0.0.1:8000')
    .implies({ local: true }),
  new Option('--stack <name>', 'in this deployed stack').default('PlantStore'),
  new Option('--profile <name>', 'the AWS profile to use'),
  new Option('--region <name>', 'the AWS region to use'),
].map((option) => option.helpGroup('Where the tokens are:'));

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('Say something like http://127.0.0.1:8000.');
  return text;
}

/** Opens the database that the options name, and finds the table of access tokens in it. */
export async function openTarget(options: TargetOptions): Promise<Target> {
  if (options.local) {
    // Locally a table's name is its logical id.
    return [localDocumentClient(options.dynamodbEndpoint, patience), 'AccessTokens'];
  }
  return [connect(accountOf(options)), await outputOf(options, 'AccessTokensTableName')];
}

const connect = (config: DynamoDBClientConfig) =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ ...config, ...patience }));

/** As the AWS CLI understands it, which reads one more variable than the SDK does. */
function accountOf({ profile, ...options }: TargetOptions) {
  const region = options.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  return { ...(profile && { profile }), ...(region && { region }) };
}

/** An output of the deployed stack that the options name. Throws TokenError for a stack that has none of that name. */
export async function outputOf(options: TargetOptions, name: string): Promise<string> {
  const cloudFormation = new CloudFormationClient({ ...accountOf(options), ...patience });
  const { Stacks } = await cloudFormation.send(
    new DescribeStacksCommand({ StackName: options.stack }),
  );
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  if (!output)
    throw new TokenError(
      `The stack ${options.stack} is no plant store, or not deployed to its end: it has no output ${name}.`,
    );
  return output;
}
