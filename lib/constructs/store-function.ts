import { type CfnElement, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { environment } from '../../functions/shared/environment-variables.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import type { Settings } from '../settings.ts';

/** What a function needs of a table. */
export interface TableAccess {
  table: TableV2;
  /** The environment variable for the table's name. */
  variable: string;
  /** Exactly the actions of DynamoDB that the function takes on the table. */
  actions: readonly string[];
}

export interface StoreFunctionProps {
  /** The folder with its bundle. */
  code: string;
  description: string;
  tables: TableAccess[];
  environment?: Record<string, string>;
  settings: Settings;
}

/**
 * A Lambda function with the settings that all functions share, and with its own log group and
 * role. Its logical id is its construct id.
 */
export class StoreFunction extends LambdaFunction {
  readonly tables: TableAccess[];

  constructor(scope: Construct, id: string, props: StoreFunctionProps) {
    const { settings, tables } = props;
    const resources = new Construct(scope, `${id}Resources`);
    const logs = new LogGroup(resources, 'Logs', {
      retention: settings['log-retention'],
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(resources, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logs.grantWrite(role);
    // CDK refuses to grant nothing. Without a grant, the first call says which action is missing.
    for (const { table, actions } of tables) {
      if (actions.length > 0) {
        table.grant(role, ...actions.map((action) => `dynamodb:${action}`));
      }
    }

    super(scope, id, {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      code: Code.fromAsset(props.code),
      handler: 'start.handler',
      memorySize: settings.memory,
      timeout: Duration.millis(timeouts.function),
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      logGroup: logs,
      role,
      environment: {
        ...Object.fromEntries(tables.map(({ table, variable }) => [variable, table.tableName])),
        [environment.dynamodbEndpoint]: '',
        ...props.environment,
      },
    });
    this.tables = tables;
    (this.node.defaultChild as CfnElement).overrideLogicalId(id);
    Validations.of(resources).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray has no resources to name. Nothing else is granted on *.',
    });
  }
}
