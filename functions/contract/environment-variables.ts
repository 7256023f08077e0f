/** The environment variables that the stack gives the functions. */
export const environment = {
  plantsTable: 'PLANTS_TABLE',
  accessTokensTable: 'ACCESS_TOKENS_TABLE',
  corsOrigin: 'CORS_ORIGIN',
  // The SDK's own. Empty, it is ignored; declared, `sam local` and `npm start` can set it.
  dynamodbEndpoint: 'AWS_ENDPOINT_URL_DYNAMODB',
} as const;
