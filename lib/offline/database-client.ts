import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** What the SDK needs to sign a request. The local database accepts anything. */
export const localRegion = 'us-east-1';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Returns a client of the local database at an endpoint. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({ endpoint, region: localRegion, credentials, ...config });
}
