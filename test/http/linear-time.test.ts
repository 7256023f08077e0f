import { expect, test } from '@jest/globals';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { authorizer } from '../../functions/access-tokens/authorizer.ts';
import { operation } from '../../functions/http/operation.ts';
import { createPlant, createPlantInput } from '../../functions/plants/create.ts';
import { deletePlant, deletePlantInput } from '../../functions/plants/delete.ts';
import { listPlants, listPlantsInput } from '../../functions/plants/list.ts';
import { readRequest } from '../../lib/emulator/gateway/http.ts';
import { proxyEvent as emulatedEvent } from '../../lib/emulator/gateway/proxy-event.ts';
import { findRoute, type Route } from '../../lib/emulator/gateway/routes.ts';
import { lambdaContext, proxyEvent } from '../support/service/proxy-event.ts';

/**
 * Every part of a request, many times as long as a gateway passes on. At this length an expression
 * that takes quadratic time takes 10 s or more, and all of them together should take milliseconds.
 */
const length = 200_000;
const runs = [' ', ...'/ \t - 0 9 a % %2F = & ; " \\ {"a": [ é'.split(' ')];
const texts = runs.flatMap((run) => {
  const long = run.repeat(length / run.length);
  return [long, `${long}x`, `x${long}`, `x${long}x`];
});

const create = async () => 'created' as const;
const list = async () => [];
const remove = async () => true;
const operations: Record<string, (event: APIGatewayProxyEvent) => unknown> = {
  create: (event) => operation(createPlantInput, createPlant({ create }))(event, lambdaContext()),
  list: (event) => operation(listPlantsInput, listPlants({ list }))(event, lambdaContext()),
  delete: (event) => operation(deletePlantInput, deletePlant({ remove }))(event, lambdaContext()),
};

const routes: Route[] = ['/plants', '/plants/{id}'].map((resourcePath) => ({
  httpMethod: 'GET',
  resourceId: resourcePath,
  resourcePath,
  authorize: undefined,
  integration: { Type: 'MOCK' },
  lambda: undefined,
}));
const api = { apiId: 'api', deploymentId: 'deployment', stage: 'v1' };

const parts: Record<string, (text: string) => unknown> = {
  'the path of a list': (path) => operations.list?.(proxyEvent({ path })),
  'the content type of a create': (text) =>
    operations.create?.(proxyEvent({ headers: { 'content-type': [`application/json${text}`] } })),
  'the body of a create': (body) =>
    operations.create?.(proxyEvent({ body: body.slice(0, 16_384) })),
  'a name in a create': (name) =>
    operations.create?.(proxyEvent({ body: JSON.stringify({ id: 1, name: name.slice(0, 8000) }) })),
  'a parameter’s name in a list': (name) =>
    operations.list?.(proxyEvent({ query: { [name]: ['1'] } })),
  'the limit of a list': (limit) => operations.list?.(proxyEvent({ query: { limit: [limit] } })),
  'the cursor of a list': (cursor) =>
    operations.list?.(proxyEvent({ query: { cursor: [cursor] } })),
  'the id of a delete': (id) => operations.delete?.(proxyEvent({ pathParameters: { id } })),
  'an access token': (text) => {
    const event = { authorizationToken: `Bearer ${text}`, methodArn: 'arn/v1/GET/plants' };
    return authorizer(async () => undefined)({ type: 'TOKEN', ...event }).catch(() => undefined);
  },
  'a URL in the emulator': (text) => emulate(text, []),
  'a query in the emulator': (text) => emulate(`/v1/plants?${text}`, []),
  'a Host in the emulator': (text) => emulate('/v1/plants', [['Host', text]]),
};

function emulate(url: string, headers: [string, string][]) {
  const body = Buffer.alloc(0);
  const request = readRequest({ method: 'GET', url, headers, body, sourceIp: '127.0.0.1' });
  const route = findRoute(routes, request.httpMethod, request.path);
  const [first] = routes;
  if (!first) throw new Error('There are no routes.');
  emulatedEvent(request, api, route ?? { ...first, pathParameters: {} }, undefined);
}

test.each(Object.entries(parts))('%s is read in linear time', async (_, read) => {
  const { info } = console;
  console.info = () => {};
  const started = process.cpuUsage();
  try {
    for (const text of texts) await read(text);
  } finally {
    console.info = info;
  }
  const { user } = process.cpuUsage(started);
  expect(user / 1_000_000).toBeLessThan(5);
});
