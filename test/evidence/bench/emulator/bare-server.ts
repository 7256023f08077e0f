import { createServer } from 'node:http';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { localDocumentClient } from '../../../../lib/offline/database/database-client.ts';
import { listen } from '../../../../lib/offline/http/listen.ts';

// A server that does only the database call of a list. Its argument is the database's endpoint.
const database = localDocumentClient(process.argv[2] ?? '');
const server = createServer(async (_, response) => {
  const { Items } = await database.send(
    new QueryCommand({
      TableName: 'Plants',
      KeyConditionExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':owner': 'demo' },
      ConsistentRead: true,
      Limit: 1001,
    }),
  );
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(Items?.map(({ name, tag }) => ({ name, tag }))));
});
console.log(`http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`);
