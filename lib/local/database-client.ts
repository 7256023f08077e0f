import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { region } from '../emulator/template/intrinsics.ts';

/** Any credentials are accepted by a local engine. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Returns a client of the local database at an endpoint, as an administrator. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: region(),
    credentials: localCredentials,
    ...config,
  });
}

/** Returns a document client of the local database, which reads numbers as bigints as the functions do. */
export function localDocumentClient(
  endpoint: string,
  config?: DynamoDBClientConfig,
): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(localClient(endpoint, config), {
    unmarshallOptions: { wrapNumbers: BigInt },
  });
}
