import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';

// The shape of https://github.com/aws-samples/serverless-typescript-demo.
const settings = { serviceName: 'plants', namespace: 'plants' };
const logger = new Logger(settings);
const metrics = new Metrics(settings);
const tracer = new Tracer(settings);
const database = DynamoDBDocumentClient.from(tracer.captureAWSv3Client(new DynamoDBClient({})));

const create = async ({ body, requestContext }) => {
  const plant = JSON.parse(body);
  const Item = { ...plant, owner: requestContext.authorizer.owner };
  await database.send(new PutCommand({ TableName: process.env.PLANTS_TABLE, Item }));
  logger.info('created');
  metrics.addMetric('created', MetricUnit.Count, 1);
  return { statusCode: 201, body: JSON.stringify({ name: plant.name, tag: plant.tag }) };
};

export const handler = middy(create)
  .use(captureLambdaHandler(tracer))
  .use(logMetrics(metrics))
  .use(injectLambdaContext(logger));
