import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { localCredentials, localRegion } from './away-from-aws.ts';

/** Returns a client of the local database at an endpoint. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: localRegion,
    credentials: localCredentials,
    ...config,
  });
}
