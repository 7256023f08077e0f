import { environment } from '../../functions/shared/environment-variables.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';

/** Returns the environment variables of a function that runs in a process of its own. */
export const lambdaEnvironment = (databaseEndpoint: string): Record<string, string> => ({
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
  AWS_LAMBDA_FUNCTION_NAME: 'Function',
  [environment.plantsTable]: tableIds.plants,
  [environment.accessTokensTable]: tableIds.accessTokens,
  [environment.dynamodbEndpoint]: databaseEndpoint,
});
