import { environment, tableVariable } from '../../../functions/shared/environment-variables.ts';
import { type TableName, tableIds } from '../../../functions/shared/table-schema.ts';

const tables = Object.keys(tableIds) as TableName[];

/** Returns the environment variables of a function that runs in a process of its own. */
export const lambdaEnvironment = (databaseEndpoint: string): Record<string, string> => ({
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
  AWS_LAMBDA_FUNCTION_NAME: 'Function',
  ...Object.fromEntries(tables.map((name) => [tableVariable(name), tableIds[name]])),
  [environment.dynamodbEndpoint]: databaseEndpoint,
});
