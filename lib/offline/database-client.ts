import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** The SDK cannot sign a request without a region. The local database accepts any. */
export const localRegion = 'us-east-1';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Returns a client of the local database at an endpoint. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({ endpoint, region: localRegion, credentials, ...config });
}
