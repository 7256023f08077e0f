import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { tokenParts } from '../../functions/shared/token-form.ts';

// Bare commands: no validation, no errors, no condition, no log. The build sets OPERATION.
const database = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env.PLANTS_TABLE;
const create = async ({ body, requestContext }) => {
  const plant = JSON.parse(body);
  const Item = { ...plant, owner: requestContext.authorizer.owner };
  await database.send(new PutCommand({ TableName, Item }));
  return { statusCode: 201, body: JSON.stringify({ name: plant.name, tag: plant.tag }) };
};
const list = async ({ requestContext }) => {
  const { Items } = await database.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':owner': requestContext.authorizer.owner },
      ConsistentRead: true,
      Limit: 1001,
    }),
  );
  return { statusCode: 200, body: JSON.stringify(Items.map(({ name, tag }) => ({ name, tag }))) };
};
const remove = async ({ pathParameters, requestContext }) => {
  const Key = { owner: requestContext.authorizer.owner, id: Number(pathParameters.id) };
  await database.send(new DeleteCommand({ TableName, Key }));
  return { statusCode: 204, body: '' };
};
const authorize = async ({ authorizationToken }) => {
  const start = 'Bearer '.length + tokenParts.prefix.length;
  const Key = { id: authorizationToken.slice(start, start + tokenParts.id) };
  const { Item } = await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return { principalId: Item.owner, policyDocument: { Version: '2012-10-17', Statement: [] } };
};

// The bundler knows OPERATION, and drops the other handlers.
let handler;
if (process.env.OPERATION === 'create-plant') {
  handler = create;
}
if (process.env.OPERATION === 'list-plants') {
  handler = list;
}
if (process.env.OPERATION === 'delete-plant') {
  handler = remove;
}
if (process.env.OPERATION === 'authorize') {
  handler = authorize;
}

export { handler };
