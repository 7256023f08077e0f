import type { TableName } from './table-schema.ts';

/** The functions' environment variables besides the names of tables. */
export const environment = {
  // Only for operations.
  corsOrigin: 'CORS_ORIGIN',
  // Empty on AWS, where the SDK ignores it. SAM CLI sets only variables that the template declares.
  dynamodbEndpoint: 'AWS_ENDPOINT_URL_DYNAMODB',
} as const;

/** Returns the name of the variable that holds a table's name, like `ACCESS_TOKENS_TABLE`. */
export const tableVariable = (table: TableName): string =>
  `${table.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}_TABLE`;
