import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { localCredentials, localRegion } from '../away-from-aws.ts';

export const makeLocalConfig = (endpoint: string): DynamoDBClientConfig => ({
  endpoint,
  region: localRegion,
  credentials: localCredentials,
  // The SDK rejects an endpoint together with these settings of the environment.
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
});

export const localClient = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient(makeLocalConfig(endpoint));
