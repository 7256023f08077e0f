import { expect, test } from '@jest/globals';
import { connect } from '../../functions/dynamodb/client.ts';
import { attempts, timeouts } from '../../functions/shared/timeouts.ts';
import { pinnedOperations } from '../support/pinned-operations.ts';
import { words } from '../support/words.ts';
import {
  functionNames,
  ofType,
  propertiesOf,
  resource,
  settings,
  type Template,
  templateWith,
} from './templates.ts';

const templates = {
  default: await templateWith(settings.default),
  throwaway: await templateWith(settings.throwaway),
  everything: await templateWith(settings.everything),
  zone: await templateWith(settings.zone),
} satisfies Record<keyof typeof settings, Template>;
const { default: plain, throwaway, everything } = templates;
const all = Object.entries(templates);

/** The tables' ids, the variables with their names, and their keys, written down a second time. */
const pinnedTables: Record<string, string> = {
  Plants: 'PLANTS_TABLE: owner S HASH, id N RANGE',
  AccessTokens: 'ACCESS_TOKENS_TABLE: id S HASH, TTL expires',
};
const tableNames = Object.keys(pinnedTables);
const variableOf = (table: string) => pinnedTables[table]?.split(':')[0];

/** What each function may do, and on which table. */
const pinnedAccess: Record<string, string> = {
  ...Object.fromEntries(pinnedOperations.map(({ function: name, access }) => [name, access])),
  Authorizer: 'AccessTokens GetItem',
};
const accessOf = (name: string) => {
  const [table = '', ...names] = pinnedAccess[name]?.split(' ') ?? [];
  const actions = names.map((action) => `dynamodb:${action}`);
  return { table, actions: actions.length === 1 ? actions[0] : actions };
};

/** The paths that the gateway has a resource for. */
const paths = new Set(
  pinnedOperations.flatMap(({ call }) => {
    const [, ...parts] = call.split('/');
    return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  }),
);

const idsOf = (template: Template, type: string) => Object.keys(ofType(template, type));
const ref = (id: string | undefined) => ({ Ref: id });
const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

test('the stack has these resources and no others', () => {
  const functions = functionNames.length;
  const expected = {
    'AWS::ApiGateway::Authorizer': 1,
    'AWS::ApiGateway::Deployment': 1,
    'AWS::ApiGateway::GatewayResponse': 21,
    'AWS::ApiGateway::Method': pinnedOperations.length,
    'AWS::ApiGateway::Resource': paths.size,
    'AWS::ApiGateway::RestApi': 1,
    'AWS::ApiGateway::Stage': 1,
    'AWS::CloudWatch::Alarm': 7,
    'AWS::CloudWatch::Dashboard': 1,
    'AWS::DynamoDB::GlobalTable': tableNames.length,
    'AWS::IAM::Policy': functions,
    'AWS::IAM::Role': functions,
    'AWS::Lambda::Function': functions,
    'AWS::Lambda::Permission': functions,
    'AWS::Logs::LogGroup': functions,
    'AWS::Logs::MetricFilter': 3 * pinnedOperations.length + 2,
    'AWS::SNS::Topic': 1,
    'AWS::SNS::TopicPolicy': 1,
  };
  const domain = { 'AWS::ApiGateway::BasePathMapping': 1, 'AWS::ApiGateway::DomainName': 1 };
  const counts = all.map(([, { Resources }]) => {
    const types = Map.groupBy(Object.values(Resources), ({ Type }) => Type);
    return Object.fromEntries([...types].map(([type, { length }]) => [type, length]));
  });
  expect(counts).toEqual([
    expected,
    expected,
    {
      ...expected,
      ...domain,
      // CORS: OPTIONS on each path and the root.
      'AWS::ApiGateway::Method': pinnedOperations.length + paths.size + 1,
      'AWS::Logs::LogGroup': functions + 1, // the access log
      'AWS::Budgets::Budget': 1,
      'AWS::SNS::Subscription': 1,
    },
    {
      ...expected,
      ...domain,
      'AWS::CertificateManager::Certificate': 1,
      'AWS::Route53::RecordSet': 1,
    },
  ]);
});

// A changed id would lose data or the base URL.
test.each(all)('logical ids stay (%s)', (_, template) => {
  expect(idsOf(template, 'AWS::DynamoDB::GlobalTable')).toEqual(tableNames);
  expect(idsOf(template, 'AWS::ApiGateway::RestApi')).toEqual(['Api']);
  expect(idsOf(template, 'AWS::Lambda::Function')).toEqual(Object.keys(pinnedAccess));
});

test.each([
  ['default', plain, true],
  ['throwaway', throwaway, false],
  ['everything', everything, true],
])('tables keep their names, keys and protections (%s)', (_, template, retained) => {
  const policy = retained ? 'Retain' : 'Delete';
  const replica = {
    DeletionProtectionEnabled: retained,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    Region: { Ref: 'AWS::Region' },
    Tags: [{ Key: 'plant-store', Value: expect.any(String) }],
  };
  for (const name of tableNames) {
    const { Properties, ...policies } = resource(template, name);
    const { AttributeDefinitions, KeySchema, TimeToLiveSpecification: ttl, ...rest } = Properties;
    const types = Object.fromEntries(
      AttributeDefinitions.map((one: Record<string, string>) => [
        one.AttributeName,
        one.AttributeType,
      ]),
    );
    const keys = KeySchema.map(
      ({ AttributeName: key, KeyType }: Record<string, string>) =>
        `${key} ${types[key ?? '']} ${KeyType}`,
    );
    expect(AttributeDefinitions).toHaveLength(keys.length);
    if (ttl) keys.push(`TTL ${ttl.Enabled && ttl.AttributeName}`);
    expect(`${variableOf(name)}: ${keys.join(', ')}`).toBe(pinnedTables[name]);
    // toEqual also fails on a table name or a secondary index.
    expect(rest).toEqual({
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: false },
      Replicas: [replica],
    });
    expect(policies).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
  }
});

test.each(all)('each function may do exactly its own actions (%s)', (_, template) => {
  const used = new Set<string>();
  const Version = '2012-10-17';
  const allow = (Action: unknown, more: object) => ({ Effect: 'Allow', Action, ...more });
  for (const name of idsOf(template, 'AWS::Lambda::Function')) {
    const { table, actions } = accessOf(name);
    const { Role, LoggingConfig } = resource(template, name).Properties;
    const role = Role['Fn::GetAtt'][0];
    const logGroup = LoggingConfig.LogGroup.Ref;
    used.add(role).add(logGroup);
    const policies = propertiesOf(template, 'AWS::IAM::Policy').filter(({ Roles }) =>
      Roles.some(({ Ref }: { Ref: string }) => Ref === role),
    );
    const Statement = [
      allow(['logs:CreateLogStream', 'logs:PutLogEvents'], { Resource: arnOf(logGroup) }),
      allow(actions, { Resource: arnOf(table) }),
      allow(['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], { Resource: '*' }),
    ];
    expect(policies.map(({ Roles, PolicyDocument }) => ({ Roles, PolicyDocument }))).toEqual([
      { Roles: [ref(role)], PolicyDocument: { Version, Statement } },
    ]);
    const assume = allow('sts:AssumeRole', { Principal: { Service: 'lambda.amazonaws.com' } });
    // toEqual also fails on a managed policy or another inline policy.
    expect(resource(template, role).Properties).toEqual({
      AssumeRolePolicyDocument: { Version, Statement: [assume] },
      Tags: expect.anything(),
    });
  }
  expect(used.size).toBe(2 * functionNames.length);
});

test.each(all)('only the authorizer and its policy refer to its table (%s)', (_, template) => {
  const types = ['AWS::IAM::Policy', 'AWS::IAM::Role', 'AWS::Lambda::Function'];
  const knowing = Object.entries(template.Resources).filter(
    ([, { Type, Properties }]) =>
      types.includes(Type) && JSON.stringify(Properties).includes('"AccessTokens"'),
  );
  expect(knowing.map(([id, { Type }]) => [Type, id]).sort()).toEqual([
    ['AWS::IAM::Policy', expect.stringMatching(/Authorizer/)],
    ['AWS::Lambda::Function', 'Authorizer'],
  ]);
  expect(resource(template, 'AccessTokens').Properties).not.toHaveProperty('ResourcePolicy');
});

test.each(all)('only the gateway calls a function, for its operation (%s)', (_, template) => {
  const [authorizer] = idsOf(template, 'AWS::ApiGateway::Authorizer');
  const [stage] = idsOf(template, 'AWS::ApiGateway::Stage');
  const place = [ref('AWS::Region'), ':', ref('AWS::AccountId'), ':', ref('Api')];
  const api = ['arn:', ref('AWS::Partition'), ':execute-api:', ...place];
  const permission = (name: string, ...source: unknown[]) => ({
    Action: 'lambda:InvokeFunction',
    Principal: 'apigateway.amazonaws.com',
    FunctionName: arnOf(name),
    SourceArn: { 'Fn::Join': ['', [...api, ...source]] },
  });
  const permissions = propertiesOf(template, 'AWS::Lambda::Permission');
  const expected = [
    permission('Authorizer', '/authorizers/', ref(authorizer)),
    ...pinnedOperations.map(({ function: name, call }) => {
      const route = `/${call.replace(' ', '').replace(/\{\w+\}/, '*')}`;
      return permission(name, '/', ref(stage), route);
    }),
  ];
  expect(permissions).toHaveLength(expected.length);
  expect(permissions).toEqual(expect.arrayContaining(expected));
});

test.each(all)('the authorizer guards every method with a function (%s)', (_, template) => {
  const AuthorizerId = ref(idsOf(template, 'AWS::ApiGateway::Authorizer')[0]);
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method');
  const guarded = methods.filter(({ Integration }) => Integration.Type !== 'MOCK');
  expect(guarded).toHaveLength(pinnedOperations.length);
  for (const method of methods)
    expect(method).toMatchObject(
      guarded.includes(method)
        ? { AuthorizationType: 'CUSTOM', AuthorizerId }
        : { HttpMethod: 'OPTIONS', AuthorizationType: 'NONE' },
    );
});

test.each([
  ['default', plain, 60],
  ['everything', everything, 0],
])('the gateway checks the form of a token (%s)', (_, template, cache) => {
  expect(propertiesOf(template, 'AWS::ApiGateway::Authorizer')).toMatchObject([
    {
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      IdentityValidationExpression:
        '^[Bb][Ee][Aa][Rr][Ee][Rr] +pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$',
      AuthorizerResultTtlInSeconds: cache,
    },
  ]);
});

test.each([
  ['default', plain, 50, 100],
  ['everything', everything, 200, 400],
])('the API is throttled, traced, and logs no bodies (%s)', (_, template, rate, burst) => {
  const [stage] = propertiesOf(template, 'AWS::ApiGateway::Stage');
  expect(stage).toMatchObject({ StageName: 'v1', TracingEnabled: true });
  const limits = { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst };
  expect(stage.MethodSettings).toEqual([
    { HttpMethod: '*', ResourcePath: '/*', DataTraceEnabled: false, ...limits },
  ]);
});

test('the access log is a setting, and has nothing in it that a client can write at will', () => {
  expect(propertiesOf(plain, 'AWS::ApiGateway::Stage')[0]).not.toHaveProperty('AccessLogSetting');
  const { Format } = propertiesOf(everything, 'AWS::ApiGateway::Stage')[0].AccessLogSetting;
  const named = words(`
    extendedRequestId requestTime identity.sourceIp tlsVersion httpMethod resourcePath status
    error.responseType authorizer.principalId authorizer.tokenId responseLatency responseLength
  `);
  expect(Object.values(JSON.parse(Format))).toEqual(named.map((name) => `$context.${name}`));
});

test.each([
  ['default', plain, 'arm64', 512, 30],
  ['everything', everything, 'x86_64', 1024, 7],
])('functions differ only in code and table (%s)', (_, template, cpu, memory, days) => {
  for (const name of idsOf(template, 'AWS::Lambda::Function')) {
    const { table } = accessOf(name);
    const { Properties } = resource(template, name);
    const { Code, Description, Role, Environment, LoggingConfig, Tags, ...rest } = Properties;
    expect(rest).toEqual({
      Architectures: [cpu],
      Handler: 'start.handler',
      MemorySize: memory,
      Runtime: 'nodejs24.x',
      Timeout: timeouts.function / 1000,
      TracingConfig: { Mode: 'Active' },
    });
    expect(LoggingConfig).toEqual({ LogFormat: 'JSON', LogGroup: { Ref: expect.any(String) } });
    expect(resource(template, LoggingConfig.LogGroup.Ref)).toMatchObject({
      Type: 'AWS::Logs::LogGroup',
      Properties: { RetentionInDays: days },
    });
    const tables = Object.entries(Environment.Variables).filter(([key]) => key.endsWith('_TABLE'));
    expect(tables).toEqual([[variableOf(table), ref(table)]]);
  }
});

test('each timeout ends before the next', async () => {
  const { maxAttempts, requestHandler } = connect().config;
  const { connectionTimeout, requestTimeout } = await (
    requestHandler as unknown as { configProvider: Promise<Record<string, number>> }
  ).configProvider;
  expect(connectionTimeout).toBe(timeouts.connection);
  expect(requestTimeout).toBe(timeouts.attempt);
  expect(await maxAttempts()).toBe(attempts);
  for (const { Integration } of propertiesOf(plain, 'AWS::ApiGateway::Method'))
    expect(Integration.TimeoutInMillis).toBe(timeouts.gateway);

  expect(timeouts.connection).toBeLessThan(timeouts.attempt);
  expect(attempts * timeouts.attempt).toBeLessThan(timeouts.operation);
  expect(timeouts.operation).toBeLessThan(timeouts.function);
  expect(timeouts.authorizer).toBeLessThan(timeouts.function);
  // The gateway waits for the authorizer, then for the operation.
  expect(2 * timeouts.function).toBeLessThan(timeouts.gateway);
});
