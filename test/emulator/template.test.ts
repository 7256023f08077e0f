import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readTemplate } from '../../lib/emulator/template/template.ts';
import { startFixture, synthesizeFixture, temporaryFolder } from './fixture.ts';

type Json = { [name: string]: never };
interface TemplateFile {
  Resources: Record<
    string,
    { Type: string; Properties: Record<string, unknown>; Condition?: string }
  >;
  Transform?: string;
}

let assembly: string;
let original: TemplateFile;
beforeAll(async () => {
  assembly = await synthesizeFixture();
  original = JSON.parse(readFileSync(join(assembly, 'Fixture.template.json'), 'utf8'));
});

/** Copies the fixture's assembly with a changed template. */
function changed(change: (template: TemplateFile) => void): string {
  const folder = join(temporaryFolder(), 'assembly');
  cpSync(assembly, folder, { recursive: true });
  const template = structuredClone(original);
  change(template);
  writeFileSync(join(folder, 'Fixture.template.json'), JSON.stringify(template));
  return folder;
}

/** The first resource of a type, with its logical id. */
function resource({ Resources }: TemplateFile, type: string) {
  const [logicalId, found] = Object.entries(Resources).find(([, { Type }]) => Type === type) ?? [];
  if (logicalId === undefined || !found) throw new Error(`The fixture has no ${type}.`);
  return { logicalId, properties: found.Properties as Record<string, Json>, resource: found };
}

describe('the emulator refuses what it does not support, in one line that names it', () => {
  const types = [
    'AWS::DynamoDB::GlobalTable',
    'AWS::IAM::Policy',
    'AWS::IAM::Role',
    'AWS::Lambda::Function',
    'AWS::ApiGateway::RestApi',
    'AWS::ApiGateway::Stage',
    'AWS::ApiGateway::Resource',
    'AWS::ApiGateway::Method',
    'AWS::ApiGateway::Authorizer',
    'AWS::ApiGateway::GatewayResponse',
  ];

  test.each(types)('an unknown property of %s', (type) => {
    const { logicalId } = resource(original, type);
    const folder = changed((template) =>
      Object.assign(resource(template, type).properties, { Novelty: 1 }),
    );
    expect(() => readTemplate(folder)).toThrow(
      `${logicalId}.Novelty: the emulator does not support this property.`,
    );
  });

  test.each(types)('a condition on %s', (type) => {
    const folder = changed((template) =>
      Object.assign(resource(template, type).resource, { Condition: 'Sometimes' }),
    );
    expect(() => readTemplate(folder)).toThrow(/^\w+: the emulator does not support Condition\.$/);
  });

  test.each([
    ['AWS::Lambda::Function', 'LoggingConfig', { LogFormat: 'Text' }, 'LoggingConfig.LogFormat'],
    ['AWS::Lambda::Function', 'VpcConfig', { SubnetIds: [] }, 'VpcConfig'],
    ['AWS::Lambda::Function', 'Layers', ['layer'], 'Layers'],
    ['AWS::Lambda::Function', 'Runtime', 'python3.14', 'Runtime'],
    ['AWS::Lambda::Function', 'Handler', 'a/b.handler', 'Handler'],
    ['AWS::Lambda::Function', 'Code', { ZipFile: 'exports.handler' }, 'Code.ZipFile'],
    ['AWS::Lambda::Function', 'Timeout', { Ref: 'Seconds' }, 'Timeout'],
    ['AWS::Lambda::Function', 'MemorySize', { 'Fn::If': ['Big', 512, 128] }, 'MemorySize'],
    [
      'AWS::Lambda::Function',
      'Environment',
      { Variables: { A: { 'Fn::GetAtt': ['Table', 'StreamArn'] } } },
      'Environment.Variables',
    ],
    [
      'AWS::Lambda::Function',
      'Environment',
      { Variables: { A: { 'Fn::ImportValue': 'x' } } },
      'Environment.Variables',
    ],
    ['AWS::Lambda::Function', 'Environment', { 'Fn::If': ['Big', {}, {}] }, 'Environment'],
    ['AWS::Lambda::Function', 'Role', 'arn:aws:iam::aws:role/service-role/Basic', 'Role'],
    ['AWS::IAM::Role', 'ManagedPolicyArns', ['arn'], 'ManagedPolicyArns'],
    ['AWS::IAM::Role', 'Policies', [], 'Policies'],
    ['AWS::IAM::Role', 'PermissionsBoundary', 'arn', 'PermissionsBoundary'],
    ['AWS::IAM::Policy', 'Users', ['user'], 'Users'],
    ...[
      { NotAction: 'dynamodb:GetItem' },
      { NotResource: '*' },
      { Condition: {} },
      { Principal: '*' },
      { Effect: 'Perhaps' },
      { Resource: 'arn:aws:dynamodb:*:*:table/$' + '{aws:username}' },
    ].map((statement): [string, string, unknown, string] => [
      'AWS::IAM::Policy',
      'PolicyDocument',
      { Statement: [statement] },
      `PolicyDocument.Statement.${Object.keys(statement)[0]}`,
    ]),
    [
      'AWS::DynamoDB::GlobalTable',
      'Replicas',
      [{ Region: 'us-east-1', ResourcePolicy: { PolicyDocument: {} } }],
      'Replicas.ResourcePolicy',
    ],
    ['AWS::ApiGateway::RestApi', 'Policy', {}, 'Policy'],
    ['AWS::ApiGateway::RestApi', 'BinaryMediaTypes', ['image/png'], 'BinaryMediaTypes'],
    ['AWS::ApiGateway::RestApi', 'MinimumCompressionSize', 0, 'MinimumCompressionSize'],
    [
      'AWS::ApiGateway::RestApi',
      'EndpointConfiguration',
      { Types: ['EDGE'] },
      'EndpointConfiguration.Types',
    ],
    [
      'AWS::ApiGateway::Stage',
      'MethodSettings',
      [{ CachingEnabled: true }],
      'MethodSettings.CachingEnabled',
    ],
    ['AWS::ApiGateway::Stage', 'CanarySetting', {}, 'CanarySetting'],
    ['AWS::ApiGateway::Stage', 'Variables', { color: 'green' }, 'Variables'],
    ['AWS::ApiGateway::Resource', 'PathPart', '{proxy+}', 'PathPart'],
    ['AWS::ApiGateway::Method', 'HttpMethod', 'ANY', 'HttpMethod'],
    ['AWS::ApiGateway::Method', 'ApiKeyRequired', true, 'ApiKeyRequired'],
    ['AWS::ApiGateway::Method', 'AuthorizationType', 'AWS_IAM', 'AuthorizationType'],
    ['AWS::ApiGateway::Method', 'RequestValidatorId', 'x', 'RequestValidatorId'],
    ['AWS::ApiGateway::Method', 'Integration', { Type: 'HTTP_PROXY' }, 'Integration.Type'],
    [
      'AWS::ApiGateway::Method',
      'Integration',
      { Type: 'MOCK', RequestTemplates: { 'application/json': '{}' } },
      'Integration.RequestTemplates.application/json',
    ],
    [
      'AWS::ApiGateway::Method',
      'Integration',
      { Type: 'MOCK', IntegrationResponses: [{ SelectionPattern: '2..', StatusCode: '200' }] },
      'Integration.IntegrationResponses.SelectionPattern',
    ],
    [
      'AWS::ApiGateway::Method',
      'Integration',
      { Type: 'MOCK', IntegrationResponses: [{ StatusCode: '200', ResponseTemplates: {} }] },
      'Integration.IntegrationResponses.ResponseTemplates',
    ],
    ['AWS::ApiGateway::Authorizer', 'Type', 'REQUEST', 'Type'],
    [
      'AWS::ApiGateway::Authorizer',
      'IdentitySource',
      'method.request.header.A,method.request.header.B',
      'IdentitySource',
    ],
    ...[
      'context.requestId',
      'context.error.message',
      'method.request.body',
      'method.request.header.X',
      'method.request.querystring.q',
      'stageVariables.color',
    ].map((source): [string, string, unknown, string] => [
      'AWS::ApiGateway::GatewayResponse',
      'ResponseParameters',
      { 'gatewayresponse.header.X': source },
      'ResponseParameters.gatewayresponse.header.X',
    ]),
    [
      'AWS::ApiGateway::GatewayResponse',
      'ResponseTemplates',
      { 'application/json': '{"id":"$context.requestId"}' },
      'ResponseTemplates.application/json',
    ],
    [
      'AWS::ApiGateway::GatewayResponse',
      'ResponseTemplates',
      { 'text/html': 'x' },
      'ResponseTemplates.text/html',
    ],
    ['AWS::DynamoDB::GlobalTable', 'GlobalSecondaryIndexes', [], 'GlobalSecondaryIndexes'],
  ])('%s with %s %j', (type, property, value, path) => {
    const { logicalId } = resource(original, type);
    const folder = changed((template) =>
      Object.assign(resource(template, type).properties, { [property]: value }),
    );
    expect(() => readTemplate(folder)).toThrow(
      new RegExp(
        `^${logicalId}\\.${path.replaceAll('.', '\\.')}: the emulator does not support [^\\n]+\\.$`,
      ),
    );
  });

  test('an unknown type of resource', () => {
    const folder = changed(({ Resources }) =>
      Object.assign(Resources, { Queue: { Type: 'AWS::SQS::Queue' } }),
    );
    expect(() => readTemplate(folder)).toThrow(
      'Queue: the emulator does not support AWS::SQS::Queue.',
    );
  });

  test('a transform', () => {
    expect(() =>
      readTemplate(
        changed((template) => Object.assign(template, { Transform: 'AWS::Serverless-2016-10-31' })),
      ),
    ).toThrow(/Transform/);
  });

  test.each([
    [
      'a second API',
      'AWS::ApiGateway::RestApi',
      'The emulator runs one AWS::ApiGateway::RestApi; the template has 2.',
    ],
    [
      'a second stage',
      'AWS::ApiGateway::Stage',
      'The emulator runs one AWS::ApiGateway::Stage; the template has 2.',
    ],
  ])('%s', async (_, type, message) => {
    const folder = changed((template) =>
      Object.assign(template.Resources, { Another: resource(template, type).resource }),
    );
    await expect(startFixture({ assembly: folder })).rejects.toThrow(message);
  });

  test.each([
    [
      'an authorizer that is not there',
      'AWS::ApiGateway::Method',
      { AuthorizationType: 'CUSTOM', AuthorizerId: 'Nobody' },
      /has no authorizer Nobody/,
    ],
    [
      'a function that is not there',
      'AWS::ApiGateway::Authorizer',
      { AuthorizerUri: 'arn:aws:lambda:function:Nobody/invocations' },
      /has no function for/,
    ],
    [
      'code that is not there',
      'AWS::Lambda::Function',
      { Code: { S3Key: 'none.zip' } },
      /has no asset none\.zip/,
    ],
    [
      'logs in text',
      'AWS::Lambda::Function',
      { LoggingConfig: {} },
      /^\w+: the emulator does not support logs that are not JSON\.$/,
    ],
    [
      'an expression that Java reads otherwise',
      'AWS::ApiGateway::Authorizer',
      { IdentityValidationExpression: '[a-z&&[^b]]' },
      /Java and JavaScript read .* differently/,
    ],
    [
      'an expression that JavaScript does not know',
      'AWS::ApiGateway::Authorizer',
      { IdentityValidationExpression: '(?i)bearer .*' },
      /Invalid regular expression/,
    ],
  ])('%s', async (_, type, properties, message) => {
    const folder = changed((template) =>
      Object.assign(resource(template, type).properties, properties),
    );
    await expect(startFixture({ assembly: folder })).rejects.toThrow(message);
  });
});

describe('intrinsics are resolved', () => {
  const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/TableCD117FA1';
  test.each([
    [{ Ref: 'TableCD117FA1' }, 'TableCD117FA1'],
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
    [{ Ref: 'AWS::AccountId' }, '000000000000'],
    [{ Ref: 'AWS::Partition' }, 'aws'],
    [{ Ref: 'AWS::URLSuffix' }, 'amazonaws.com'],
    [{ 'Fn::GetAtt': ['TableCD117FA1', 'Arn'] }, arn],
    [{ 'Fn::GetAtt': 'TableCD117FA1.Arn' }, arn],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'AWS::Partition' }, 'b']] }, 'a-aws-b'],
    [
      { 'Fn::Select': [3, { 'Fn::Split': [':', { 'Fn::GetAtt': ['TableCD117FA1', 'Arn'] }] }] },
      'us-east-1',
    ],
    [{ 'Fn::Select': ['0', ['a', 'b']] }, 'a'],
    [
      { 'Fn::Sub': `in \${AWS::Region}, \${TableCD117FA1.Arn}, \${!Literal}` },
      `in us-east-1, ${arn}, \${Literal}`,
    ],
    [
      { 'Fn::Sub': [`\${A} and \${TableCD117FA1}`, { A: { Ref: 'AWS::Partition' } }] },
      'aws and TableCD117FA1',
    ],
    ['as it is', 'as it is'],
  ])('%j', (value, expected) => {
    const type = 'AWS::Lambda::Function';
    const { logicalId } = resource(original, type);
    const folder = changed((template) =>
      Object.assign(resource(template, type).properties, {
        Environment: { Variables: { VALUE: value } },
      }),
    );
    expect(readTemplate(folder).of(type).get(logicalId)?.Environment?.Variables?.VALUE).toBe(
      expected,
    );
  });

  test('the region comes from the environment', () => {
    process.env.AWS_REGION = 'eu-north-1';
    try {
      const [method] = [...readTemplate(assembly).of('AWS::ApiGateway::Method').values()];
      expect(method?.Integration.Uri).toMatch(/^arn:aws:apigateway:eu-north-1:lambda:/);
    } finally {
      delete process.env.AWS_REGION;
    }
  });
});

test('a function is found in the folder that it is deployed from', () => {
  const template = readTemplate(assembly);
  for (const { Code } of template.of('AWS::Lambda::Function').values())
    expect(readdirSync(template.folder(Code))).toEqual(['index.mjs']);
});
