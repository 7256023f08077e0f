import { describe, expect, test } from '@jest/globals';
import type { Template } from 'aws-cdk-lib/assertions';
import { isLogCode, logCodes } from '../../functions/shared/log-codes.ts';
import { operations } from '../../functions/shared/operations.ts';
import { attempts, timeouts } from '../../functions/shared/timeouts.ts';
import { gateway } from '../../lib/offline/gateway.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';
import { findProperties, getAttribute, ref, templates } from './templates.ts';

// Facts that reach AWS or a caller. All values here are written by hand: a change of the product
// must change them too.

test('each timeout ends before the next', () => {
  expect(Object.entries(timeouts)).toEqual([
    ['connection', 1000],
    ['attempt', 1500],
    ['operation', 5000],
    ['authorizer', 9500],
    ['function', 10_000],
    ['gateway', 29_000],
  ]);
  // All attempts of a command end before their operation does.
  expect(attempts).toBe(3);
});

test('log codes never change, because metric filters and queries name them', () => {
  const codes = [
    ...['REQUEST_REFUSED', 'DATABASE_UNAVAILABLE', 'REQUEST_FAILED'],
    ...['TOKEN_ACCEPTED', 'TOKEN_REFUSED', 'AUTHORIZER_FAILED', 'WARM_UP_FAILED'],
  ];
  expect(Object.keys(logCodes)).toEqual(codes);
  const successes = Object.values(operations).map((operation) => operation.successes);
  expect(successes).toEqual([
    { 201: 'PLANT_CREATED', 200: 'PLANT_UNCHANGED' },
    { 200: 'PLANTS_LISTED' },
    { 204: 'PLANT_DELETED' },
  ]);
  const ofSuccesses = ['PLANT_CREATED', 'PLANT_UNCHANGED', 'PLANTS_LISTED', 'PLANT_DELETED'];
  expect([...codes, ...ofSuccesses].filter((code) => !isLogCode(code))).toEqual([]);
  expect(['toString', 'plant_created', ''].filter(isLogCode)).toEqual([]);
});

/** Returns the methods of the API by method and path. */
function listMethods(template: Template) {
  const resources = template.findResources('AWS::ApiGateway::Resource');
  const findPath = (id: string): string => {
    const { PathPart, ParentId } = resources[id]?.Properties ?? {};
    return `${ParentId.Ref ? findPath(ParentId.Ref) : ''}/${PathPart}`;
  };
  return findProperties(template, 'AWS::ApiGateway::Method').map((method) => {
    const path = method.ResourceId.Ref ? findPath(method.ResourceId.Ref) : '/';
    return { route: `${method.HttpMethod} ${path}`, ...method };
  });
}

const cases = [
  { name: 'default', template: templates.default, corsOrigin: undefined },
  { name: 'everything', template: templates.everything, corsOrigin: 'https://example.com' },
];

describe.each(cases)('the template ($name)', ({ template, corsOrigin }) => {
  const methods = listMethods(template);

  test('routes each operation to its function, behind the authorizer', () => {
    const [authorizer] = Object.keys(template.findResources('AWS::ApiGateway::Authorizer'));
    const routes = methods.filter(({ HttpMethod }) => HttpMethod !== 'OPTIONS');
    const actual = routes.map(({ route, AuthorizationType, AuthorizerId, Integration }) => {
      expect([AuthorizationType, AuthorizerId]).toEqual(['CUSTOM', ref(authorizer)]);
      expect(Integration).toMatchObject({ Type: 'AWS_PROXY', TimeoutInMillis: 29_000 });
      const functionArn = Integration.Uri['Fn::Join'][1].find(
        (part: object) => 'Fn::GetAtt' in Object(part),
      );
      return [route, functionArn];
    });
    expect(actual).toEqual([
      ['POST /plants', getAttribute('CreatePlant', 'Arn')],
      ['GET /plants', getAttribute('ListPlants', 'Arn')],
      ['DELETE /plants/{id}', getAttribute('DeletePlant', 'Arn')],
    ]);
  });

  test('has the preflights of npm start', async () => {
    const preflights = methods.filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');
    const call = () => Promise.reject(new Error('A preflight calls no function.'));
    const { listener } = gateway({ call, corsOrigin, cacheSeconds: 0, onResponse() {} });
    const origin = await serve(listener);
    const ask = (path: string) => send(origin, { method: 'OPTIONS', path: `/v1${path}` });
    for (const { route, Integration } of preflights) {
      const { status, headers } = await ask(route.slice('OPTIONS '.length).replace('{id}', '7'));
      const { date, connection, 'keep-alive': _, ...sent } = headers;
      const [{ StatusCode, ResponseParameters }] = Integration.IntegrationResponses;
      const declared = Object.entries<string>(ResponseParameters).map(([name, source]) => [
        name.replace('method.response.header.', '').toLowerCase(),
        source.startsWith("'") ? source.slice(1, -1) : expect.any(String),
      ]);
      expect([status, sent]).toEqual([Number(StatusCode), Object.fromEntries(declared)]);
    }
    const others = corsOrigin ? ['/nothing'] : ['/', '/plants', '/plants/7'];
    expect((await Promise.all(others.map(ask))).map(({ status }) => status)).toEqual(
      others.map(() => 404),
    );
  });
});
