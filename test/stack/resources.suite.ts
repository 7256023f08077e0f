import { expect, test } from '@jest/globals';
import type { Template } from 'aws-cdk-lib/assertions';
import { usedActions } from '../consistency/faults/actions.ts';
import { readPage } from '../docs/page.ts';
import settings from './settings.json' with { type: 'json' };
import {
  findIds,
  findProperties,
  findStatements,
  getAttribute,
  ref,
  templates,
} from './templates.ts';

const { default: plain, everything, throwaway } = templates;
const all = Object.entries(templates);

test('the stack has these resources and no others', () => {
  const countTypes = (template: Template): Record<string, number> => {
    const { Resources } = template.toJSON();
    const types = Map.groupBy(Object.values<{ Type: string }>(Resources), ({ Type }) => Type);
    return Object.fromEntries([...types].map(([type, { length }]) => [type, length]));
  };
  const expected = {
    'AWS::ApiGateway::Authorizer': 1,
    'AWS::ApiGateway::Deployment': 1,
    'AWS::ApiGateway::GatewayResponse': 15,
    'AWS::ApiGateway::Method': 3,
    'AWS::ApiGateway::Resource': 2,
    'AWS::ApiGateway::RestApi': 1,
    'AWS::ApiGateway::Stage': 1,
    'AWS::CloudWatch::Alarm': 5,
    'AWS::DynamoDB::GlobalTable': 2,
    'AWS::IAM::Policy': 4,
    'AWS::IAM::Role': 4,
    'AWS::Lambda::Function': 4,
    'AWS::Lambda::Permission': 4,
    'AWS::Logs::LogGroup': 4,
    'AWS::Logs::MetricFilter': 1,
    'AWS::SNS::Topic': 1,
    'AWS::SNS::TopicPolicy': 1,
  };
  const domain = { 'AWS::ApiGateway::BasePathMapping': 1, 'AWS::ApiGateway::DomainName': 1 };
  expect(countTypes(plain)).toEqual(expected);
  expect(countTypes(everything)).toEqual({
    ...expected,
    ...domain,
    // OPTIONS on both paths and the root.
    'AWS::ApiGateway::Method': 6,
    // The access log.
    'AWS::Logs::LogGroup': 5,
    // The ceiling of daily-requests.
    'AWS::CloudWatch::Alarm': 6,
    'AWS::Events::Rule': 1,
    'AWS::IAM::Policy': 6,
    'AWS::IAM::Role': 6,
    'AWS::StepFunctions::StateMachine': 1,
    'AWS::SNS::Subscription': 1,
  });
  expect(countTypes(throwaway)).toEqual({
    ...expected,
    ...domain,
    'AWS::CertificateManager::Certificate': 1,
    'AWS::Route53::RecordSet': 2,
  });
});

test.each([
  ['default', plain, true],
  ['throwaway', throwaway, false],
  ['everything', everything, true],
])('tables are protected and on demand (%s)', (_, template, isKept) => {
  const policy = isKept ? 'Retain' : 'Delete';
  const schemas = {
    Plants: {
      AttributeDefinitions: [
        { AttributeName: 'owner', AttributeType: 'S' },
        { AttributeName: 'id', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
    },
    AccessTokens: {
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    },
  };
  for (const [id, schema] of Object.entries(schemas)) {
    const table = template.findResources('AWS::DynamoDB::GlobalTable')[id];
    expect(table).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
    // toEqual also fails on a TTL, a table name, a secondary index or a policy of the table.
    expect(table?.Properties).toEqual({
      ...schema,
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: false },
      Replicas: [
        {
          DeletionProtectionEnabled: isKept,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          Region: ref('AWS::Region'),
          Tags: expect.anything(),
        },
      ],
    });
  }
});

test.each([
  ['default', plain, 'arm64', {}],
  ['everything', everything, 'x86_64', { CORS_ORIGIN: 'https://example.com' }],
])(
  'functions have the same settings, and each has its own role and log group (%s)',
  (_, template, cpu, origin) => {
    const own = new Set<string>();
    const ofPlants = { PLANTS_TABLE: ref('Plants'), ...origin };
    const variables: Record<string, object> = {
      CreatePlant: ofPlants,
      ListPlants: ofPlants,
      DeletePlant: ofPlants,
      Authorizer: { ACCESS_TOKENS_TABLE: ref('AccessTokens') },
    };
    const functions = template.findResources('AWS::Lambda::Function');
    for (const [id, { Properties }] of Object.entries(functions)) {
      const { Code, Description, Role, Tags, ...rest } = Properties;
      const { LogGroup } = rest.LoggingConfig;
      expect(rest).toEqual({
        Architectures: [cpu],
        Environment: { Variables: { AWS_ENDPOINT_URL_DYNAMODB: '', ...variables[id] } },
        Handler: 'start.handler',
        LoggingConfig: { LogFormat: 'JSON', LogGroup },
        MemorySize: 512,
        Runtime: 'nodejs24.x',
        Timeout: 10,
      });
      const [role] = Role['Fn::GetAtt'];
      own.add(role).add(LogGroup.Ref);

      const assume = { Action: 'sts:AssumeRole', Effect: 'Allow' };
      // toEqual also fails on a managed policy or another inline policy.
      expect(template.findResources('AWS::IAM::Role')[role]?.Properties).toEqual({
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ ...assume, Principal: { Service: 'lambda.amazonaws.com' } }],
        },
        Tags: expect.anything(),
      });
      const { table = '', actions = [] } = usedActions.find((access) => access.id === id) ?? {};
      const allowed = actions.map((action) => `dynamodb:${action}`);
      expect(findStatements(template, id)).toEqual([
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: getAttribute(LogGroup.Ref, 'Arn'),
        },
        {
          Effect: 'Allow',
          // CDK writes a single action as a string.
          Action: allowed.length > 1 ? allowed : allowed[0],
          Resource: getAttribute(table, 'Arn'),
        },
      ]);
    }
    expect(own.size).toBe(8);
  },
);

test.each(all)('only the gateway may call a function, for its operation (%s)', (_, template) => {
  const [authorizer] = findIds(template, 'AWS::ApiGateway::Authorizer');
  const [stage] = findIds(template, 'AWS::ApiGateway::Stage');
  const place = [ref('AWS::Region'), ':', ref('AWS::AccountId'), ':', ref('Api')];
  const api = ['arn:', ref('AWS::Partition'), ':execute-api:', ...place];
  const permission = (name: string, ...source: unknown[]) => ({
    Action: 'lambda:InvokeFunction',
    Principal: 'apigateway.amazonaws.com',
    FunctionName: getAttribute(name, 'Arn'),
    SourceArn: { 'Fn::Join': ['', [...api, ...source]] },
  });
  expect(new Set(findProperties(template, 'AWS::Lambda::Permission'))).toEqual(
    new Set([
      permission('Authorizer', '/authorizers/', ref(authorizer)),
      permission('CreatePlant', '/', ref(stage), '/POST/plants'),
      permission('ListPlants', '/', ref(stage), '/GET/plants'),
      permission('DeletePlant', '/', ref(stage), '/DELETE/plants/*'),
    ]),
  );
});

test.each([
  ['default', plain, 50, 100],
  ['everything', everything, 200, 400],
  // The default quota of an account for requests at once.
  ['throwaway', throwaway, 10_000, 5000],
])('the API is throttled, logs no bodies and traces nothing (%s)', (_, template, rate, burst) => {
  const [stage] = findProperties(template, 'AWS::ApiGateway::Stage');
  const limits = { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst };
  expect(stage.MethodSettings).toEqual([
    { HttpMethod: '*', ResourcePath: '/*', DataTraceEnabled: false, ...limits },
  ]);
  expect(JSON.stringify(template.toJSON()).toLowerCase()).not.toMatch(/xray|tracing/);
});

test.each(all)('logs are kept for a month (%s)', (_, template) => {
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
});

test('by default, there is no access log', () => {
  expect(findProperties(plain, 'AWS::ApiGateway::Stage')[0]).not.toHaveProperty('AccessLogSetting');
});

test('the access log has no text that a client can choose', () => {
  const [{ AccessLogSetting }] = findProperties(everything, 'AWS::ApiGateway::Stage');
  expect(JSON.stringify(AccessLogSetting.DestinationArn)).toContain('RestApiAccessLog');
  const names = [
    'extendedRequestId',
    'requestTime',
    'identity.sourceIp',
    'tlsVersion',
    'httpMethod',
    'resourcePath',
    'status',
    'error.responseType',
    'authorizer.principalId',
    'authorizer.tokenId',
    'responseLatency',
    'responseLength',
  ];
  expect(Object.values(JSON.parse(AccessLogSetting.Format))).toEqual(
    names.map((name) => `$context.${name}`),
  );
});

test.each(all)('the API accepts TLS 1.2 and later, and IPv6 (%s)', (_, template) => {
  for (const type of ['AWS::ApiGateway::RestApi', 'AWS::ApiGateway::DomainName']) {
    for (const properties of findProperties(template, type)) {
      expect(properties).toMatchObject({
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
        EndpointConfiguration: { IpAddressType: 'dualstack', Types: ['REGIONAL'] },
      });
    }
  }
});

/** Returns the base URL at the API's own address, or at its domain. */
function describeBaseUrl(template: Template, domain: string | undefined): unknown {
  const [stage] = findIds(template, 'AWS::ApiGateway::Stage');
  const host = [ref('Api'), '.execute-api.', ref('AWS::Region'), '.', ref('AWS::URLSuffix')];
  const own = { 'Fn::Join': ['', ['https://', ...host, '/', ref(stage)]] };
  return domain ? `https://${domain}/v1` : own;
}

test.each(all)(
  'outputs are the base URL, the tables and the next command (%s)',
  (name, template) => {
    const chosen: Record<string, string> = settings[name as keyof typeof settings];
    const { domain, certificate } = chosen;
    const stack = name === 'default' ? 'PlantStore' : `PlantStore-${name}`;
    const [domainId = ''] = findIds(template, 'AWS::ApiGateway::DomainName');
    const target = getAttribute(domainId, 'RegionalDomainName');
    const outputs = {
      BaseUrl: describeBaseUrl(template, domain),
      PlantsTableName: ref('Plants'),
      AccessTokensTableName: ref('AccessTokens'),
      NextCommand: `npm run -s token -- issue --owner YOUR_NAME --stack ${stack}`,
      ...(certificate && { DnsRecord: { 'Fn::Join': ['', [`${domain}. CNAME `, target, '.']] } }),
    };
    // toEqual also fails on an export, whose name would be unique in a region.
    expect(template.findOutputs('*')).toEqual(
      Object.fromEntries(Object.entries(outputs).map(([id, Value]) => [id, { Value }])),
    );
  },
);

test.each([
  ['everything', everything, 'api.example.com'],
  ['throwaway', throwaway, 'store.example.com'],
])('the domain serves v1 only (%s)', (_, template, DomainName) => {
  template.allResourcesProperties('AWS::ApiGateway::DomainName', { DomainName });
  const [id] = findIds(template, 'AWS::ApiGateway::DomainName');
  const [stage] = findIds(template, 'AWS::ApiGateway::Stage');
  expect(findProperties(template, 'AWS::ApiGateway::BasePathMapping')).toEqual([
    { BasePath: 'v1', DomainName: ref(id), RestApiId: ref('Api'), Stage: ref(stage) },
  ]);
});

test('a domain has the certificate that it is given', () => {
  everything.hasResourceProperties('AWS::ApiGateway::DomainName', {
    RegionalCertificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d',
  });
});

test('with a hosted zone, the stack creates the certificate and the DNS records', () => {
  const HostedZoneId = 'Z0123456789ABCDEFGHIJ';
  const DomainName = 'store.example.com';
  throwaway.hasResourceProperties('AWS::CertificateManager::Certificate', {
    DomainName,
    DomainValidationOptions: [{ DomainName, HostedZoneId }],
  });
  const [certificate] = findIds(throwaway, 'AWS::CertificateManager::Certificate');
  throwaway.hasResourceProperties('AWS::ApiGateway::DomainName', {
    RegionalCertificateArn: ref(certificate),
  });
  const [id = ''] = findIds(throwaway, 'AWS::ApiGateway::DomainName');
  const AliasTarget = {
    DNSName: getAttribute(id, 'RegionalDomainName'),
    HostedZoneId: getAttribute(id, 'RegionalHostedZoneId'),
  };
  expect(findProperties(throwaway, 'AWS::Route53::RecordSet')).toEqual([
    { Name: 'store.example.com.', Type: 'A', HostedZoneId, AliasTarget },
    { Name: 'store.example.com.', Type: 'AAAA', HostedZoneId, AliasTarget },
  ]);
});

test.each(all)('resources that cost money have the tag of their copy (%s)', (name, template) => {
  const Value = name === 'default' ? 'PlantStore' : `PlantStore-${name}`;
  const types = [
    'AWS::ApiGateway::RestApi',
    'AWS::ApiGateway::Stage',
    'AWS::Lambda::Function',
    'AWS::Logs::LogGroup',
    'AWS::CloudWatch::Alarm',
  ];
  const tables = findProperties(template, 'AWS::DynamoDB::GlobalTable');
  const tagged = [
    ...types.flatMap((type) => findProperties(template, type)),
    ...tables.map(({ Replicas }) => Replicas[0]),
  ];
  for (const { Tags } of tagged) {
    expect(Tags).toContainEqual({ Key: 'plant-store', Value });
  }
});

test('the runbooks name the stack, its tag, and the place of its tables', () => {
  const runbooks = readPage('docs/runbooks.md');
  const find = (pattern: RegExp) => [
    ...new Set(Array.from(runbooks.matchAll(pattern), ([, name]) => name)),
  ];
  const [{ Name: stack }] = findProperties(plain, 'AWS::ApiGateway::RestApi');
  expect(find(/\bstack=(\S+)/g)).toEqual([stack]);
  expect(find(/--stack-name (\w+)/g)).toEqual([stack]);
  const { Plants } = plain.findResources('AWS::DynamoDB::GlobalTable');
  const { Properties, Metadata } = Plants ?? {};
  const [tag] = Properties.Replicas[0].Tags;
  expect(find(/\bKey=([^,\s]+)/g)).toEqual([tag.Key]);
  const [folder] = find(/\$stack\/(\S+)\/\$table/g);
  expect(Metadata['aws:cdk:path']).toBe(`${stack}/${folder}/Plants/Resource`);
});
