import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { requireObjects } from '../../functions/dynamodb/answers.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../lib/database/database-client.ts';
import { AdministrationError } from './administration-error.ts';
import { databaseEndpoint, type TargetOptions } from './target-options.ts';

/** The database, and the name of its table of access tokens. */
export type Target = [DynamoDBDocumentClient, table: string];

const timeouts = {
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** Opens the database that the options name, and finds its table of access tokens. */
export async function openTarget(
  options: TargetOptions,
  more: DynamoDBClientConfig = {},
): Promise<Target> {
  const config = { ...timeouts, ...more };
  const database = options.localhost
    ? localDocumentClient(databaseEndpoint(options), config)
    : connect({ ...accountOf(options), ...config });
  requireObjects(database);
  const table = options.localhost
    ? tableIds.accessTokens
    : await outputOf(options, 'AccessTokensTableName');
  return [database, table];
}

const connect = (config: DynamoDBClientConfig) =>
  DynamoDBDocumentClient.from(new DynamoDBClient(config), {
    unmarshallOptions: { wrapNumbers: BigInt },
  });

/** Returns the account as the AWS CLI finds it, which reads one more variable than the SDK. */
export function accountOf({ profile, ...options }: TargetOptions) {
  const region = options.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  return { ...(profile && { profile }), ...(region && { region }) };
}

/** Returns an output of the deployed stack. Throws an AdministrationError if it is missing. */
export async function outputOf(options: TargetOptions, name: string): Promise<string> {
  // A local database needs no CloudFormation.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const cloudFormation = new CloudFormationClient({ ...accountOf(options), ...timeouts });
  const { Stacks } = await cloudFormation.send(
    new DescribeStacksCommand({ StackName: options.stack }),
  );
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  if (!output)
    throw new AdministrationError(
      `The stack ${options.stack} has no output ${name}. It is not a plant store, or its ` +
        'deployment did not finish.',
    );
  return output;
}
