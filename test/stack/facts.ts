import { describe, expect, test } from '@jest/globals';
import { authorizationPattern } from '../../functions/shared/access-token.ts';
import { environment, tableVariable } from '../../functions/shared/environment-variables.ts';
import { gatewayResponses } from '../../functions/shared/gateway-responses.ts';
import { commonHeaders, preflight, requestIdHeader } from '../../functions/shared/headers.ts';
import { operations, stageName } from '../../functions/shared/operations.ts';
import { problemMediaType, problemMembers, problems } from '../../functions/shared/problems.ts';
import { type TableName, tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import {
  ofType,
  propertiesOf,
  type Resource,
  ref,
  resource,
  type Template,
  templates,
} from './templates.ts';

// `npm start` serves the facts of functions/shared. The template must have them, and no others.

const requestId = 'context.extendedRequestId';

/** Returns the methods of the API, by method and path. */
function methodsOf(template: Template): Record<string, Resource['Properties']> {
  const pathOf = (id: string): string => {
    const { PathPart, ParentId } = resource(template, id).Properties;
    return `${ParentId.Ref ? pathOf(ParentId.Ref) : ''}/${PathPart}`;
  };
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map((method) => {
    const path = method.ResourceId.Ref ? pathOf(method.ResourceId.Ref) : '/';
    return [`${method.HttpMethod} ${path}`, method];
  });
  return Object.fromEntries(methods);
}

/** Returns a response's headers and where the gateway takes them from, as the template has them. */
function sourcesOf(prefix: string, headers: Record<string, string>): Record<string, string> {
  const literals = Object.entries(headers).map(([name, value]) => [prefix + name, `'${value}'`]);
  return { ...Object.fromEntries(literals), [prefix + requestIdHeader]: requestId };
}

/** The function of each operation, and the tables that each function uses. */
const functionOf = {
  createPlant: 'CreatePlant',
  listPlants: 'ListPlants',
  deletePlant: 'DeletePlant',
};
const usedTables: Record<string, TableName[]> = {
  CreatePlant: ['plants'],
  ListPlants: ['plants'],
  DeletePlant: ['plants'],
  Authorizer: ['accessTokens'],
};

const cases = [
  { name: 'default', template: templates.default, corsOrigin: undefined, cacheSeconds: 60 },
  {
    name: 'everything',
    template: templates.everything,
    corsOrigin: 'https://example.com',
    cacheSeconds: 0,
  },
];

describe.each(cases)('the template ($name)', ({ template, corsOrigin, cacheSeconds }) => {
  const methods = methodsOf(template);

  test('routes each operation to its function, behind the authorizer', () => {
    const [authorizer] = Object.keys(ofType(template, 'AWS::ApiGateway::Authorizer'));
    const routes = Object.entries(methods).filter(([, { HttpMethod }]) => HttpMethod !== 'OPTIONS');
    const called = routes.map(([route, { AuthorizationType, AuthorizerId, Integration }]) => {
      const [id] = Integration.Uri['Fn::Join'][1].flatMap((part: { 'Fn::GetAtt'?: string[] }) =>
        part['Fn::GetAtt'] ? [part['Fn::GetAtt'][0]] : [],
      );
      return { route, id, AuthorizationType, AuthorizerId, type: Integration.Type };
    });
    expect(called).toEqual(
      Object.entries(operations).map(([name, { method, path }]) => ({
        route: `${method} /${path}`,
        id: functionOf[name as keyof typeof operations],
        AuthorizationType: 'CUSTOM',
        AuthorizerId: ref(authorizer),
        type: 'AWS_PROXY',
      })),
    );
    const [stage] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    expect(stage.StageName).toBe(stageName);
  });

  test('asks the authorizer about what looks like a token', () => {
    expect(propertiesOf(template, 'AWS::ApiGateway::Authorizer')).toMatchObject([
      {
        Type: 'TOKEN',
        IdentitySource: 'method.request.header.Authorization',
        IdentityValidationExpression: authorizationPattern,
        AuthorizerResultTtlInSeconds: cacheSeconds,
      },
    ]);
  });

  test('declares exactly these gateway responses', () => {
    const declared = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').map(
      ({ ResponseType, StatusCode, ResponseTemplates }) => {
        const { type, status } = JSON.parse(ResponseTemplates['application/json']);
        expect(StatusCode).toBe(`${status}`);
        return `${ResponseType} ${status} ${type.replace('urn:problem-type:plant-store:', '')}`;
      },
    );
    expect(declared.sort()).toEqual([
      'ACCESS_DENIED 403 insufficient-scope',
      'API_CONFIGURATION_ERROR 503 unavailable',
      'AUTHORIZER_CONFIGURATION_ERROR 503 unavailable',
      'AUTHORIZER_FAILURE 503 unavailable',
      'DEFAULT_4XX 404 no-such-operation',
      'DEFAULT_5XX 503 unavailable',
      'INTEGRATION_FAILURE 503 unavailable',
      'INTEGRATION_TIMEOUT 503 unavailable',
      'MISSING_AUTHENTICATION_TOKEN 404 no-such-operation',
      'REQUEST_TOO_LARGE 413 content-too-large',
      'RESOURCE_NOT_FOUND 404 no-such-operation',
      'THROTTLED 429 too-many-requests',
      'UNAUTHORIZED 401 unauthorized',
      'UNSUPPORTED_MEDIA_TYPE 415 unsupported-media-type',
      'WAF_FILTERED 403 request-blocked',
    ]);
  });

  test('gives gateway responses the bodies and headers of problems', () => {
    const declared = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').map(
      ({ RestApiId: _, ResponseTemplates, ...properties }) => ({
        ...properties,
        body: JSON.parse(ResponseTemplates['application/json']),
      }),
    );
    const expected = Object.entries(gatewayResponses).map(([type, code]) => {
      const { status, detail, headers } = problems[code];
      const own = { 'Content-Type': problemMediaType, ...commonHeaders(corsOrigin), ...headers };
      return {
        ResponseType: type,
        StatusCode: `${status}`,
        ResponseParameters: sourcesOf('gatewayresponse.header.', own),
        body: { ...problemMembers(code), detail, instance: `$${requestId}` },
      };
    });
    expect(declared).toEqual(expected);
  });

  test('answers preflights if there is an origin', () => {
    const preflights = Object.entries(methods).filter(([route]) => route.startsWith('OPTIONS'));
    const paths = corsOrigin ? ['/', '/plants', '/plants/{id}'] : [];
    expect(preflights.map(([route]) => route)).toEqual(paths.map((path) => `OPTIONS ${path}`));
    const prefix = 'method.response.header.';
    const sources = sourcesOf(prefix, {
      ...commonHeaders(corsOrigin),
      'Access-Control-Allow-Headers': preflight.allowHeaders.join(','),
      'Access-Control-Allow-Methods': 'POST,GET,DELETE',
      'Access-Control-Max-Age': `${preflight.maxAgeSeconds}`,
      Vary: 'Origin',
    });
    for (const [, { AuthorizationType, Integration, MethodResponses }] of preflights) {
      expect(AuthorizationType).toBe('NONE');
      expect(Integration.IntegrationResponses).toEqual([
        { StatusCode: '204', ResponseParameters: sources },
      ]);
      expect(Object.keys(MethodResponses[0].ResponseParameters).sort()).toEqual(
        Object.keys(sources).sort(),
      );
    }
  });

  test('has the tables', () => {
    const tables = Object.entries(ofType(template, 'AWS::DynamoDB::GlobalTable')).map(
      ([id, { Properties }]) => ({
        id,
        attributes: Properties.AttributeDefinitions,
        key: Properties.KeySchema,
        expiry: Properties.TimeToLiveSpecification,
      }),
    );
    const expected = Object.entries(tableKeys).map(([name, { partition, sort, expiry }]) => ({
      id: tableIds[name as TableName],
      attributes: [
        { AttributeName: partition, AttributeType: 'S' },
        ...(sort ? [{ AttributeName: sort, AttributeType: 'N' }] : []),
      ],
      key: [
        { AttributeName: partition, KeyType: 'HASH' },
        ...(sort ? [{ AttributeName: sort, KeyType: 'RANGE' }] : []),
      ],
      expiry: expiry && { AttributeName: expiry, Enabled: true },
    }));
    expect(tables).toEqual(expected);
  });

  test('gives functions their variables and time-outs', () => {
    const functions = Object.entries(ofType(template, 'AWS::Lambda::Function')).map(
      ([id, { Properties }]) => ({
        id,
        variables: Properties.Environment.Variables,
        seconds: Properties.Timeout,
      }),
    );
    const expected = Object.entries(usedTables).map(([id, used]) => ({
      id,
      variables: {
        ...Object.fromEntries(used.map((name) => [tableVariable(name), ref(tableIds[name])])),
        [environment.dynamodbEndpoint]: '',
        ...(corsOrigin && id !== 'Authorizer' && { [environment.corsOrigin]: corsOrigin }),
      },
      seconds: timeouts.function / 1000,
    }));
    expect(functions).toEqual(expected);
    for (const { HttpMethod, Integration } of Object.values(methods)) {
      const waits = HttpMethod === 'OPTIONS' ? undefined : timeouts.gateway;
      expect(Integration.TimeoutInMillis).toBe(waits);
    }
  });
});
