import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { requireObjects } from '../../functions/dynamodb/client.ts';
import { type TableName, tableIds } from '../../functions/shared/table-schema.ts';
import { documentClient, localClient } from '../../lib/offline/database-client.ts';
import { AdministrationError } from './administration-error.ts';
import { databaseEndpoint, type StackTarget, type TargetOptions } from './target-options.ts';

export interface Target {
  database: DynamoDBDocumentClient;
  /** The name of its table of access tokens. */
  table: string;
}

const timeouts = {
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** Opens the database that the options name, and finds its table of access tokens. */
export async function openTarget(
  options: TargetOptions,
  more: DynamoDBClientConfig = {},
): Promise<Target> {
  const config = { ...timeouts, ...more };
  const database = documentClient(
    options.localhost
      ? localClient(databaseEndpoint(options), config)
      : new DynamoDBClient({ ...accountOf(options), ...config }),
  );
  requireObjects(database);
  return { database, table: await tableIn(options, 'accessTokens') };
}

/** Returns what a table is called in the target. */
export const tableIn = async (options: TargetOptions, table: TableName): Promise<string> =>
  options.localhost ? tableIds[table] : outputOf(options, `${tableIds[table]}TableName`);

interface Account {
  profile?: string;
  region?: string;
}

/** Returns the account as the AWS CLI finds it, which reads one more variable than the SDK. */
export function accountOf({ profile, ...options }: StackTarget): Account {
  const region = options.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  return { ...(profile && { profile }), ...(region && { region }) };
}

/** Returns an output of the deployed stack. Throws an AdministrationError if it is missing. */
export async function outputOf(options: StackTarget, name: string): Promise<string> {
  // A local database needs no CloudFormation.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const cloudFormation = new CloudFormationClient({ ...accountOf(options), ...timeouts });
  const { Stacks } = await cloudFormation.send(
    new DescribeStacksCommand({ StackName: options.stack }),
  );
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  if (!output) {
    throw new AdministrationError(
      `The stack ${options.stack} has no output ${name}. It is not a plant store, or its ` +
        'deployment did not finish. Run "npx cdk deploy", or choose another with --stack.',
    );
  }
  return output;
}
