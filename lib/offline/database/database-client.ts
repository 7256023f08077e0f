import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshallOptions } from '../../../functions/shared/dynamodb.ts';
import { region } from '../template/resource-values.ts';

/** A function has a key of its own. Any other key is an administrator's. */
const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The access key of the client that makes the tables. */
export const tablesKey = 'tables';

/** Returns a client of the local database at an endpoint, as an administrator. */
export const localClient = (endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({ endpoint, region: region(), credentials: localCredentials, ...config });

/** Returns a document client, which reads numbers as bigints. */
export const documentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { unmarshallOptions });

export const localDocumentClient = (
  endpoint: string,
  config?: DynamoDBClientConfig,
): DynamoDBDocumentClient => documentClient(localClient(endpoint, config));
