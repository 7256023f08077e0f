import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { type TableName, tableIds, tableKeys } from '../../../functions/shared/table-schema.ts';
import { finallyDo } from '../cleanup.ts';

/**
 * Starts a DynamoDB in memory that has the stack's tables, until the test file ends. Returns its
 * endpoint. `onRequest` sees each later request before it is answered.
 */
export async function startDynalite(onRequest: RequestListener = () => {}): Promise<string> {
  const server: Server = dynalite({ path: undefined, createTableMs: 0, deleteTableMs: 0 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  finallyDo(() => {
    server.close();
    server.closeAllConnections();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new DynamoDBClient({ endpoint, region: 'eu-central-1', credentials });
  finallyDo(() => client.destroy());
  for (const [name, TableName] of Object.entries(tableIds)) {
    const { partition, sort } = tableKeys[name as TableName];
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: partition, AttributeType: 'S' },
          ...(sort ? [{ AttributeName: sort, AttributeType: 'N' } as const] : []),
        ],
        KeySchema: [
          { AttributeName: partition, KeyType: 'HASH' },
          ...(sort ? [{ AttributeName: sort, KeyType: 'RANGE' } as const] : []),
        ],
      }),
    );
  }
  server.prependListener('request', onRequest);
  return endpoint;
}
