import { describe, expect, test } from '@jest/globals';
import { AccessLogField } from 'aws-cdk-lib/aws-apigateway';
import { operations } from '../../functions/shared/operations.ts';
import { joinText } from './short-form.ts';
import { findProperties, templates } from './templates.ts';

// What no update of a snapshot may change by accident, over every resource of the API.

type Json = ReturnType<typeof JSON.parse>;

/** The statuses of gateway responses. */
const statuses = {
  ACCESS_DENIED: 403,
  API_CONFIGURATION_ERROR: 503,
  AUTHORIZER_CONFIGURATION_ERROR: 503,
  AUTHORIZER_FAILURE: 503,
  DEFAULT_4XX: 404,
  DEFAULT_5XX: 503,
  INTEGRATION_FAILURE: 503,
  INTEGRATION_TIMEOUT: 503,
  MISSING_AUTHENTICATION_TOKEN: 404,
  REQUEST_TOO_LARGE: 413,
  RESOURCE_NOT_FOUND: 404,
  THROTTLED: 429,
  UNAUTHORIZED: 401,
  UNSUPPORTED_MEDIA_TYPE: 415,
  WAF_FILTERED: 403,
};

const additionalHeaders: Record<string, object> = {
  ACCESS_DENIED: {
    'WWW-Authenticate': `'Bearer realm="plant-store", error="insufficient_scope"'`,
  },
  THROTTLED: { 'Retry-After': "'1'" },
  UNAUTHORIZED: { 'WWW-Authenticate': `'Bearer realm="plant-store"'` },
};

const cors = {
  'Access-Control-Allow-Origin': "'https://example.com'",
  'Access-Control-Expose-Headers':
    "'Link, Location, Retry-After, X-Request-Id, Access-Token-Expires'",
};

const groups = [
  { group: 'default', domain: undefined, rate: 50, burst: 100, cacheSeconds: 60 },
  { group: 'everything', domain: 'api.example.com', rate: 1, burst: 2, cacheSeconds: 0 },
  { group: 'throwaway', domain: 'store.example.com', rate: 10_000, burst: 5000, cacheSeconds: 300 },
] as const;

describe.each(groups)('with the settings $group', ({ group, domain, ...numbers }) => {
  const template = templates[group];
  const methods = findProperties(template, 'AWS::ApiGateway::Method');

  test('the API and its domain have the same strict TLS', () => {
    const hosts = [
      ...findProperties(template, 'AWS::ApiGateway::RestApi'),
      ...findProperties(template, 'AWS::ApiGateway::DomainName'),
    ];
    expect(hosts).toHaveLength(domain ? 2 : 1);
    for (const host of hosts) {
      expect(host).toMatchObject({
        EndpointAccessMode: 'STRICT',
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointConfiguration: { IpAddressType: 'dualstack', Types: ['REGIONAL'] },
      });
    }
  });

  test('nothing is public but the API, which asks the authorizer except for preflights', () => {
    for (const { HttpMethod, AuthorizationType, Integration } of methods) {
      const isPreflight = HttpMethod === 'OPTIONS';
      expect(AuthorizationType).toBe(isPreflight ? 'NONE' : 'CUSTOM');
      expect(Integration).toMatchObject(
        isPreflight ? { Type: 'MOCK' } : { Type: 'AWS_PROXY', TimeoutInMillis: 29_000 },
      );
    }
    const permissions = findProperties(template, 'AWS::Lambda::Permission');
    for (const permission of permissions) {
      expect(permission.Principal).toBe('apigateway.amazonaws.com');
      expect(joinText(permission.SourceArn['Fn::Join'])).toMatch(/:\$\{Api\}\//);
    }
    // One for each operation, and one for the authorizer: the console's test calls need others.
    expect(permissions).toHaveLength(Object.keys(operations).length + 1);
    expect(findProperties(template, 'AWS::Lambda::Url')).toEqual([]);
  });

  test('the stage is v1, and logs no body', () => {
    const stages = findProperties(template, 'AWS::ApiGateway::Stage');
    expect(stages.map(({ StageName }) => StageName)).toEqual(['v1']);
    for (const { MethodSettings, TracingEnabled } of stages) {
      expect(MethodSettings).toEqual([
        {
          HttpMethod: '*',
          ResourcePath: '/*',
          DataTraceEnabled: false,
          ThrottlingBurstLimit: numbers.burst,
          ThrottlingRateLimit: numbers.rate,
        },
      ]);
      expect(TracingEnabled).toBeUndefined();
    }
  });

  test('authorizers get well-formed tokens of the Authorization header only', () => {
    const authorizers = findProperties(template, 'AWS::ApiGateway::Authorizer');
    expect(authorizers).toEqual([
      expect.objectContaining({
        Type: 'TOKEN',
        AuthorizerResultTtlInSeconds: numbers.cacheSeconds,
        IdentitySource: 'method.request.header.Authorization',
        IdentityValidationExpression:
          '^[Bb][Ee][Aa][Rr][Ee][Rr] +pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$',
      }),
    ]);
  });

  test('gateway responses are problems with the headers of every response', () => {
    const responses = findProperties(template, 'AWS::ApiGateway::GatewayResponse');
    const found = responses.map(
      ({ ResponseType, StatusCode, ResponseParameters, ResponseTemplates }) => {
        expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
        const problem = JSON.parse(ResponseTemplates['application/json']);
        expect(problem).toEqual({
          type: expect.stringMatching(/^urn:problem-type:plant-store:[a-z-]+$/),
          title: expect.any(String),
          status: Number(StatusCode),
          detail: expect.stringMatching(/^[^$]+$/),
          instance: '$context.extendedRequestId',
        });
        const headers = Object.entries(ResponseParameters).map(([name, value]) => [
          name.replace('gatewayresponse.header.', ''),
          value,
        ]);
        expect(Object.fromEntries(headers)).toEqual({
          'Content-Type': "'application/problem+json'",
          'Cache-Control': "'no-store'",
          'Content-Security-Policy': "'default-src 'none'; frame-ancestors 'none''",
          'Strict-Transport-Security': "'max-age=63072000'",
          'X-Content-Type-Options': "'nosniff'",
          'X-Request-Id': 'context.extendedRequestId',
          ...(group === 'everything' && cors),
          ...additionalHeaders[ResponseType],
        });
        return [ResponseType, problem.status];
      },
    );
    expect(Object.fromEntries(found)).toEqual(statuses);
  });

  test('outputs are those that programs and pages name', () => {
    const { Outputs } = template as Json;
    const name = group === 'throwaway' ? 'PlantStore-throwaway' : 'PlantStore';
    expect(Outputs).toEqual({
      BaseUrl: { Value: domain ? `https://${domain}/v1` : expect.anything() },
      PlantsTableName: { Value: { Ref: 'Plants' } },
      AccessTokensTableName: { Value: { Ref: 'AccessTokens' } },
      NextCommand: {
        Value: `npm run -s token -- issue --owner YOUR_NAME --stack ${name}`,
      },
      ...(group === 'everything' && { DnsRecord: expect.anything() }),
    });
  });
});

test('the access log has one line per request, without text of the client', () => {
  const [{ AccessLogSetting }] = findProperties(templates.everything, 'AWS::ApiGateway::Stage');
  const line: Record<string, string> = JSON.parse(AccessLogSetting.Format);
  expect(line).toEqual({
    requestId: '$context.extendedRequestId',
    time: '$context.requestTime',
    sourceIp: '$context.identity.sourceIp',
    tlsVersion: '$context.tlsVersion',
    method: '$context.httpMethod',
    resource: '$context.resourcePath',
    status: '$context.status',
    gatewayError: '$context.error.responseType',
    owner: '$context.authorizer.principalId',
    tokenId: '$context.authorizer.tokenId',
    latencyMs: '$context.responseLatency',
    bytes: '$context.responseLength',
  });
  // A deprecated variable would print a warning.
  const variablesOfCdk = Object.entries(Object.getOwnPropertyDescriptors(AccessLogField))
    .filter(([name]) => name.startsWith('context') && name !== 'contextAccountId')
    .map(([, { value }]) => value('tokenId'));
  // AWS writes a misspelt one as "-". CDK lacks the one of TLS, which AWS's page on security
  // policies names.
  const others = Object.values(line).filter((variable) => !variablesOfCdk.includes(variable));
  expect(others).toEqual(['$context.tlsVersion']);
});

test('a domain in a hosted zone serves the stage below /v1, by IPv4 and IPv6', () => {
  const template = templates.throwaway;
  const [domain] = Object.keys(template.Resources).filter((id) => id.startsWith('Domain'));
  expect(findProperties(template, 'AWS::ApiGateway::BasePathMapping')).toEqual([
    {
      BasePath: 'v1',
      DomainName: { Ref: domain },
      RestApiId: { Ref: 'Api' },
      Stage: { Ref: expect.stringContaining('Stagev1') },
    },
  ]);
  const record = {
    Name: 'store.example.com.',
    HostedZoneId: 'Z0123456789ABCDEFGHIJ',
    AliasTarget: {
      DNSName: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] },
      HostedZoneId: { 'Fn::GetAtt': [domain, 'RegionalHostedZoneId'] },
    },
  };
  const records = ['A', 'AAAA'].map((Type) => ({ ...record, Type }));
  expect(findProperties(template, 'AWS::Route53::RecordSet')).toEqual(records);
  expect(findProperties(template, 'AWS::CertificateManager::Certificate')).toMatchObject([
    {
      DomainName: 'store.example.com',
      ValidationMethod: 'DNS',
      DomainValidationOptions: [{ HostedZoneId: 'Z0123456789ABCDEFGHIJ' }],
    },
  ]);
});
