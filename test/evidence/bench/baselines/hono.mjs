import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';

const database = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const app = new Hono();
app.post('/plants', async (context) => {
  const plant = await context.req.json();
  const { owner } = context.env.requestContext.authorizer;
  const Item = { ...plant, owner };
  await database.send(new PutCommand({ TableName: process.env.PLANTS_TABLE, Item }));
  return context.json({ name: plant.name, tag: plant.tag }, 201);
});

export const handler = handle(app);
