import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshallOptions } from '../../functions/shared/dynamodb.ts';

/** What the SDK needs to sign a request. The local database accepts anything. */
export const localRegion = 'us-east-1';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Returns a client of the local database at an endpoint. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({ endpoint, region: localRegion, credentials, ...config });
}

/** Returns a document client, which reads numbers without losing a digit. */
export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { unmarshallOptions });
}

/** Returns a document client of the local database at an endpoint. */
export function localDocumentClient(
  endpoint: string,
  config?: DynamoDBClientConfig,
): DynamoDBDocumentClient {
  return documentClient(localClient(endpoint, config));
}
