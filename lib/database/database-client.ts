import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { region } from '../emulator/template/resource-values.ts';

/** A function has a key of its own. Any other key is an administrator's. */
const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The access key of the client that makes the tables. */
export const tablesKey = 'tables';

/** Returns a client of the local database at an endpoint, as an administrator. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: region(),
    credentials: localCredentials,
    ...config,
  });
}

/** Returns a document client of the local database. It reads numbers as bigints. */
export function localDocumentClient(
  endpoint: string,
  config?: DynamoDBClientConfig,
): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(localClient(endpoint, config), {
    unmarshallOptions: { wrapNumbers: BigInt },
  });
}
