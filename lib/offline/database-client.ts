import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { localCredentials, localRegion } from './away-from-aws.ts';

/** Returns a client of the local database at an endpoint. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: localRegion,
    credentials: localCredentials,
    // The SDK rejects an endpoint together with these settings of the environment.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    ...config,
  });
}
