import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import express from 'express';
import serverless from 'serverless-http';

const database = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const app = express();
app.use(express.json());
app.post('/plants', async (request, response) => {
  const { owner } = request.requestContext.authorizer;
  const Item = { ...request.body, owner };
  await database.send(new PutCommand({ TableName: process.env.PLANTS_TABLE, Item }));
  response.status(201).json({ name: Item.name, tag: Item.tag });
});

const run = serverless(app, {
  request: (request, { requestContext }) => Object.assign(request, { requestContext }),
});
export const handler = (event, context) => run(event, context);
