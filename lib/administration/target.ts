import { DescribeTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { connect, requestHandlerOptions } from '../../functions/dynamodb/client.ts';
import { type TableName, tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import { CommandError } from '../command-line/command-error.ts';
import { defaultEndpoint } from '../command-line/default-ports.ts';
import { escapeControls } from '../command-line/escape-controls.ts';
import { makeLocalConfig } from '../local/database/client.ts';
import { type AwsAccount, chooseAccount } from './aws-account.ts';
import { type Clock, watchClock } from './clock.ts';
import { explain } from './explain.ts';
import { readProxyVariables } from './proxy-variables.ts';
import type { LocalTarget, StackTarget, TargetOptions } from './target-options.ts';

/** In milliseconds. Three attempts end within ten seconds, even if a server never responds. */
const limits = { connection: 3000, attempt: 3000 };

export interface Target {
  /** Where the tables are, in words. */
  name: string;
  database: DynamoDBDocumentClient;
  tables: Record<TableName, string>;
  clock: Clock;
  /** Returns the base URL of a stack's API. */
  baseUrl?: () => string;
  /** A file with the only certificates that TLS connections trust. */
  caBundle?: string;
  /** Returns one line with the problem and its solution. */
  explain(error: unknown): string;
}

/**
 * Opens the target that the options name, prints its name, and acts on it. Throws every error as a
 * CommandError. The client never retries a write that may have taken effect.
 */
export async function withTarget(
  options: TargetOptions,
  act: (target: Target) => Promise<void>,
): Promise<void> {
  const explainError = (error: unknown): string => explain(error, options);
  try {
    const opened = options.localhost ? await openLocal(options) : await openStack(options);
    console.error(`Using ${opened.name}.`);
    await act({ ...opened, explain: explainError });
  } catch (error) {
    throw new CommandError(explainError(error));
  }
}

type OpenedTarget = Omit<Target, 'explain'>;

async function openLocal({
  dynamodbEndpoint: endpoint = defaultEndpoint,
}: LocalTarget): Promise<OpenedTarget> {
  const clock: Clock = {};
  const database = connect({
    ...makeLocalConfig(endpoint),
    requestHandler: requestHandlerOptions(limits),
  });
  watchClock(database, clock);
  for (const name of Object.keys(tableIds) as TableName[]) {
    await requireTable(database, endpoint, name);
  }
  return { name: `the database at ${endpoint}`, database, tables: tableIds, clock };
}

/** Throws a CommandError unless a database has a table of the plant store, by name and key. */
async function requireTable(
  database: DynamoDBDocumentClient,
  endpoint: string,
  name: TableName,
): Promise<void> {
  const id = tableIds[name];
  const { partition, sort } = tableKeys[name];
  const described = await database
    .send(new DescribeTableCommand({ TableName: id }))
    .catch((error) => {
      if (error instanceof ResourceNotFoundException) {
        return undefined;
      }
      throw error;
    });
  const key = described?.Table?.KeySchema?.map(({ AttributeName }) => AttributeName) ?? [];
  if (key.join() !== [partition, sort].filter(Boolean).join()) {
    const problem = described ? `has another table ${id}` : `has no table ${id}`;
    throw new CommandError(
      `The database at ${endpoint} ${problem}. It is not a plant store. Name the one of your "npm ` +
        'start" with --dynamodb-endpoint.',
    );
  }
}

async function openStack(options: StackTarget): Promise<OpenedTarget> {
  const { stack } = options;
  if (stack === undefined) {
    throw new CommandError(
      'No target given. Use --localhost for the running "npm start", or --stack PlantStore for ' +
        'the deployed stack of that name.',
    );
  }
  const clock: Clock = {};
  const requestHandler = requestHandlerOptions(limits, { proxyEnv: readProxyVariables() });
  const { account, ...trust } = await chooseAccount(options, requestHandler);
  const described = await describeStack(stack, account, clock);
  return { ...described, ...trust, database: connect(account), clock };
}

/** Reads the outputs of a deployed stack. Throws a CommandError if one is missing or impossible. */
async function describeStack(
  stack: string,
  account: AwsAccount,
  clock: Clock,
): Promise<Required<Pick<Target, 'name' | 'tables' | 'baseUrl'>>> {
  // Loaded only for stacks: the programs start faster without it.
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
