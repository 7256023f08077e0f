import { expect, test } from '@jest/globals';
import { connect } from '../../functions/dynamodb/client.ts';
import { attempts, timeouts } from '../../functions/shared/timeouts.ts';
import { keysOf } from '../../lib/constructs/tables.ts';
import { pinnedOperations, pinnedTables } from '../support/pinned-operations.ts';
import { words } from '../support/words.ts';
import {
  accessOf,
  allTemplates,
  attributeOf,
  functionNames,
  idsOf,
  ownPartOf,
  propertiesOf,
  ref,
  resource,
  settings,
  type Template,
} from './templates.ts';

const templates = await allTemplates();
const { default: plain, throwaway, everything } = templates;
const all = Object.entries(templates);
const own = all.map(([name, template]): [string, Template] => [name, ownPartOf(template)]);

const tableNames = Object.keys(pinnedTables);

/** What each function may do, and on which table. */
const pinnedAccess: Record<string, string> = {
  ...Object.fromEntries(pinnedOperations.map(({ function: name, access }) => [name, access])),
  Authorizer: 'AccessTokens GetItem',
};
const tablesOf = (name: string) =>
  `${pinnedAccess[name]}`.split('; ').map((access) => `${access.split(' ')[0]}`);

/** The paths that the gateway has a resource for. */
const paths = new Set(
  pinnedOperations.flatMap(({ call }) => {
    const [, ...parts] = call.split('/');
    return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  }),
);

test('what serves and watches requests has these resources and no others', () => {
  const functions = functionNames.length;
  const filters: number[] = [3 * pinnedOperations.length + 2, functions];
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
    'AWS::Logs::MetricFilter': filters.reduce((sum, one) => sum + one, 0),
    'AWS::SNS::Topic': 1,
    'AWS::SNS::TopicPolicy': 1,
  };
  const domain = { 'AWS::ApiGateway::BasePathMapping': 1, 'AWS::ApiGateway::DomainName': 1 };
  const counts = own.map(([, { Resources }]) => {
    const types = Map.groupBy(Object.values(Resources), ({ Type }) => Type);
    return Object.fromEntries([...types].map(([type, { length }]) => [type, length]));
  });
  expect(counts).toEqual([
    { ...expected, 'AWS::XRay::SamplingRule': 1 },
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
      'AWS::Route53::RecordSet': 2,
    },
  ]);
});

// A changed id would lose data or the base URL.
test.each(own)('logical ids stay (%s)', (_, template) => {
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
    Region: ref('AWS::Region'),
    Tags: [{ Key: 'plant-store', Value: expect.any(String) }],
  };
  for (const [name, { key, expiry }] of Object.entries(pinnedTables)) {
    const { Properties, DeletionPolicy, UpdateReplacePolicy } = resource(template, name);
    // A stream reads what requests wrote, and changes nothing for them.
    const { StreamSpecification: _, ...properties } = Properties;
    expect([DeletionPolicy, UpdateReplacePolicy]).toEqual([policy, policy]);
    // toEqual also fails on a table name, a secondary index or a policy of the table.
    expect(properties).toEqual({
      AttributeDefinitions: Object.entries(key).map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: Object.keys(key).map((AttributeName, i) => ({
        AttributeName,
        KeyType: ['HASH', 'RANGE'][i],
      })),
      ...(expiry && { TimeToLiveSpecification: { AttributeName: expiry, Enabled: true } }),
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: false },
      Replicas: [replica],
    });
  }
});

test('each part of a table’s key can be a text or a number', () => {
  const ownerRows = { by: 'attribute', name: 'owner' } as const;
  const day = keysOf({ partition: 'day', partitionType: 'NUMBER', ownerRows });
  expect(day).toEqual({ partitionKey: { name: 'day', type: 'N' } });
  const word = keysOf({ partition: 'owner', sort: 'word', sortType: 'STRING', ownerRows });
  expect(word.partitionKey.type + word.sortKey?.type).toBe('SS');
  // @ts-expect-error An owner is a text, so that no partition that is a number is one's.
  keysOf({ partition: 'day', partitionType: 'NUMBER', ownerRows: { by: 'partition' } });
});

test.each(own)('each function may do exactly its own actions (%s)', (_, template) => {
  const used = new Set<string>();
  const Version = '2012-10-17';
  const allow = (Action: unknown, more: object) => ({ Effect: 'Allow', Action, ...more });
  for (const name of idsOf(template, 'AWS::Lambda::Function')) {
    const { Role, LoggingConfig } = resource(template, name).Properties;
    const role = Role['Fn::GetAtt'][0];
    const logGroup = LoggingConfig.LogGroup.Ref;
    used.add(role).add(logGroup);
    expect(accessOf(template, name)).toBe(pinnedAccess[name]);
    const policies = propertiesOf(template, 'AWS::IAM::Policy').filter(({ Roles }) =>
      Roles.some(({ Ref }: { Ref: string }) => Ref === role),
    );
    const Statement = [
      allow(['logs:CreateLogStream', 'logs:PutLogEvents'], {
        Resource: attributeOf(logGroup, 'Arn'),
      }),
      ...tablesOf(name).map((table) =>
        allow(expect.anything(), { Resource: attributeOf(table, 'Arn') }),
      ),
      allow(['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], { Resource: '*' }),
    ];
    expect(policies).toEqual([
      {
        PolicyName: expect.any(String),
        Roles: [ref(role)],
        PolicyDocument: { Version, Statement },
      },
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

test.each([
  ['default', plain, 'arm64', 512, 30],
  ['everything', everything, 'x86_64', 1024, 7],
])('functions differ only in code and table (%s)', (_, template, cpu, memory, days) => {
  const cors = template === everything && { CORS_ORIGIN: 'https://example.com' };
  for (const name of functionNames) {
    const { Code, Description, Role, Tags, ...rest } = resource(template, name).Properties;
    const { LogGroup } = rest.LoggingConfig;
    const variables = tablesOf(name).map((table) => [pinnedTables[table]?.variable, ref(table)]);
    expect(rest).toEqual({
      Architectures: [cpu],
      // An exact environment: only the authorizer learns the name of its table.
      Environment: {
        Variables: {
          ...Object.fromEntries(variables),
          AWS_ENDPOINT_URL_DYNAMODB: '',
          ...(name !== 'Authorizer' && cors),
        },
      },
      Handler: 'start.handler',
      LoggingConfig: { LogFormat: 'JSON', LogGroup },
      MemorySize: memory,
      Runtime: 'nodejs24.x',
      Timeout: timeouts.function / 1000,
      TracingConfig: { Mode: 'Active' },
    });
    expect(resource(template, LogGroup.Ref)).toMatchObject({
      Type: 'AWS::Logs::LogGroup',
      Properties: { RetentionInDays: days },
    });
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
  for (const { Integration } of propertiesOf(plain, 'AWS::ApiGateway::Method')) {
    expect(Integration.TimeoutInMillis).toBe(timeouts.gateway);
  }

  expect(timeouts.connection).toBeLessThan(timeouts.attempt);
  expect(attempts * timeouts.attempt).toBeLessThan(timeouts.operation);
  expect(timeouts.operation).toBeLessThan(timeouts.function);
  expect(timeouts.authorizer).toBeLessThan(timeouts.function);
  // The gateway waits for the authorizer, then for the operation.
  expect(2 * timeouts.function).toBeLessThan(timeouts.gateway);
});

/** Names that are unique in a region or in another resource. All others count as global. */
const local = [
  'AWS::ApiGateway::Authorizer Name',
  // Unique in a region, says AWS's page on custom domain names.
  'AWS::ApiGateway::DomainName DomainName',
  'AWS::ApiGateway::RestApi Name',
  'AWS::ApiGateway::Stage StageName',
  'AWS::CertificateManager::Certificate DomainName',
  'AWS::CloudWatch::Alarm AlarmName',
  // What the alarm watches.
  'AWS::CloudWatch::Alarm MetricName',
  // An inline policy of a role without a name.
  'AWS::IAM::Policy PolicyName',
  'AWS::SNS::Topic DisplayName',
];

/** Returns the names that a template gives to its resources in a region of the account. */
function namesIn(region: string, template: Template, domain = 'none'): string[] {
  // The deployer chooses a domain for each region.
  const text = JSON.stringify(template).replaceAll(domain, `${region}.example.com`);
  const filled: Template = JSON.parse(text, (_, value) => {
    if (value?.Ref === 'AWS::Region') {
      return region;
    }
    const [separator, parts] = value?.['Fn::Join'] ?? [];
    return parts?.every((part: unknown) => typeof part === 'string')
      ? parts.join(separator)
      : value;
  });
  return Object.values(filled.Resources).flatMap(({ Type, Properties }) =>
    Object.entries(Properties ?? {})
      // A reference is to a name that AWS makes up or that another resource has.
      .filter(([property, value]) => /Name$/.test(property) && typeof value === 'string')
      .map(([property, value]) => {
        const kind = `${Type} ${property}`;
        return local.includes(kind) ? `${kind} ${region} ${value}` : `${kind} ${value}`;
      }),
  );
}

test.each(all)('two regions share no name (%s)', (name, template) => {
  const { domain } = settings[name as keyof typeof settings] as { domain?: string };
  const one = namesIn('eu-central-1', template, domain);
  expect(one).toContainEqual(expect.stringMatching(/Dashboard DashboardName .*-eu-central-1$/));
  expect(namesIn('us-east-1', template, domain)).toHaveLength(one.length);
  for (const other of namesIn('us-east-1', template, domain)) {
    expect(one).not.toContain(other);
  }
});

test.each(all)('resources that cost money have the tag of their copy (%s)', (name, template) => {
  const Value = name === 'default' ? 'PlantStore' : `PlantStore-${name}`;
  const tagged = words(`
    ApiGateway::RestApi ApiGateway::Stage Lambda::Function Logs::LogGroup CloudWatch::Alarm
  `).flatMap((type) => propertiesOf(template, `AWS::${type}`));
  const tables = propertiesOf(template, 'AWS::DynamoDB::GlobalTable');
  for (const { Tags } of [...tagged, ...tables.map(({ Replicas }) => Replicas[0])]) {
    expect(Tags).toContainEqual({ Key: 'plant-store', Value });
  }
});
