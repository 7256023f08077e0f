/** The environment variables that the stack gives the functions. */
export const environment = {
  plantsTable: 'PLANTS_TABLE',
  accessTokensTable: 'ACCESS_TOKENS_TABLE',
  corsOrigin: 'CORS_ORIGIN',
  // The SDK ignores it when it is empty. `sam local` and `npm start` can set only what is declared.
  dynamodbEndpoint: 'AWS_ENDPOINT_URL_DYNAMODB',
} as const;
