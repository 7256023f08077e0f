import type { TableName } from './table-schema.ts';

/** The environment variables that the stack gives every function. */
export const environment = {
  corsOrigin: 'CORS_ORIGIN',
  // The SDK ignores it when it is empty. `sam local` and `npm start` can set only what is declared.
  dynamodbEndpoint: 'AWS_ENDPOINT_URL_DYNAMODB',
} as const;

/** Returns the environment variable with the name of a table, like `ACCESS_TOKENS_TABLE`. */
export const tableVariable = (table: TableName): string =>
  `${table.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}_TABLE`;
