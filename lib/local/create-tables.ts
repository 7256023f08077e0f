import {
  CreateTableCommand,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Template } from '../emulator/template/template.ts';
import { localClient } from './database-client.ts';

/**
 * Makes each table of the template that is missing; a table's name is its logical id. An engine may do without expiry (TTL): the functions check it
 * themselves. Rejects with the SDK's error where the engine cannot be reached.
 */
export async function createTables(template: Template, endpoint: string): Promise<void> {
  const client = localClient(endpoint);
  try {
    for (const [TableName, { AttributeDefinitions, KeySchema }] of template.of(
      'AWS::DynamoDB::GlobalTable',
    )) {
      try {
        await client.send(
          new CreateTableCommand({
            TableName,
            AttributeDefinitions,
            KeySchema,
            BillingMode: 'PAY_PER_REQUEST',
          }),
        );
      } catch (error) {
        if (!(error instanceof ResourceInUseException)) throw error;
      }
      await waitUntilTableExists(
        { client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 1 },
        { TableName },
      );
    }
  } finally {
    client.destroy();
  }
}
