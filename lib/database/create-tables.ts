import {
  CreateTableCommand,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Template } from '../emulator/template/template.ts';
import { localClient } from './database-client.ts';

/**
 * Creates each table of the template that is missing. A table's name is its logical id. Expiry is
 * left out, because the functions check it themselves. Rejects with the SDK's error if the engine
 * cannot be reached.
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
