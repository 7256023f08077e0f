import { join, relative } from 'node:path';
import { type CfnElement, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import {
  type BundlingOptions,
  LogLevel,
  NodejsFunction,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { environment, tableVariable } from '../../functions/shared/environment-variables.ts';
import type { FunctionRow } from '../../functions/shared/operations.ts';
import type { TableName } from '../../functions/shared/table-schema.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

const functions = join(import.meta.dirname, '..', '..', 'functions');

/** With CDK's defaults, loading and the first call take 1.6 times as long. */
const bundling: BundlingOptions = {
  bundleAwsSDK: true,
  minify: true,
  logLevel: LogLevel.WARNING,
  target: 'node24',
  // An ES module or an import() makes Node load its fetch and HTTP/2 at start.
  format: OutputFormat.CJS,
  // The ES modules of packages can be tree-shaken.
  mainFields: ['module', 'main'],
  esbuildArgs: {
    '--supported:dynamic-import': 'false',
    // Modules that a function never uses cost time in each cold start.
    '--alias': ['@aws-sdk/credential-provider-node', '@smithy/core/event-streams'].map(
      (module) => `${module}=${join(functions, 'dynamodb', 'sdk-replacements.ts')}`,
    ),
  },
  commandHooks: {
    beforeBundling: () => [],
    beforeInstall: () => [],
    // Runs in `project`, by Bash or Windows' cmd. Relative paths need hardly any escaping.
    afterBundling: (project, output) => {
      const script = join(import.meta.dirname, 'complete-bundle.mjs');
      const paths = [script, join(functions, 'load-bundle.mjs'), output];
      return [`node ${paths.map((path) => `"${relative(project, path)}"`).join(' ')}`];
    },
  },
};

interface StoreFunctionProps extends FunctionRow {
  description: string;
  environment?: Record<string, string>;
}

/**
 * Adds a Lambda function with the settings that all functions share, its own log group and its own
 * role. The logical id is `id`.
 */
export function addStoreFunction(
  stack: Construct,
  id: string,
  props: StoreFunctionProps,
  tables: Tables,
  settings: Settings,
): NodejsFunction {
  const scope = new Construct(stack, `${id}Resources`);
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
  });
  logGroup.grantWrite(role);

  const tableNames: Record<string, string> = {};
  for (const [name, actions] of Object.entries(props.tables)) {
    const table = tables[name as TableName];
    table.grant(role, ...actions.map((action) => `dynamodb:${action}`));
    tableNames[tableVariable(name as TableName)] = table.tableName;
  }

  const storeFunction = new NodejsFunction(stack, id, {
    description: props.description,
    entry: join(functions, `${props.entry}.ts`),
    // Other package managers may leave lock files of their own beside it.
    depsLockFilePath: join(functions, '..', 'package-lock.json'),
    bundling,
    handler: 'start.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    // CPU is proportional to memory: with 512 MB, a cold request takes under 1 s.
    memorySize: 512,
    timeout: Duration.millis(timeouts.function),
    loggingFormat: LoggingFormat.JSON,
    logGroup,
    role,
    environment: { ...tableNames, [environment.dynamodbEndpoint]: '', ...props.environment },
  });
  // The logical id is pinned, because a new one would be a function with another name.
  (storeFunction.node.defaultChild as CfnElement).overrideLogicalId(id);
  return storeFunction;
}
