import { words } from '../../support/words.ts';

const username = `arn:aws:dynamodb:*:*:table/\${aws:username}`;

/** What the emulator does not support: a type, the path of a property in it, and a value. */
const byType: Record<string, [path: string, value: unknown][]> = {
  'Lambda::Function': [
    ['Layers', ['layer']],
    ['Runtime', 'python3.14'],
    ['Handler', 'a/b.handler'],
    ['Code ImageUri', 'image'],
    ['PackageType', 'Image'],
    ['FileSystemConfigs', []],
    ['Timeout', { Ref: 'Seconds' }],
    ['MemorySize', { 'Fn::If': ['Big', 512, 128] }],
    ['Environment Variables', { A: { 'Fn::GetAtt': ['Table', 'StreamArn'] } }],
    ['Environment Variables', { A: { 'Fn::ImportValue': 'x' } }],
    ['Environment', { 'Fn::If': ['Big', {}, {}] }],
    ['Role', 'arn:aws:iam::aws:role/service-role/Basic'],
  ],
  'IAM::Role': [
    ['ManagedPolicyArns', ['arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess']],
    ['PermissionsBoundary', 'arn'],
  ],
  'IAM::Policy': [
    ['PolicyDocument Statement NotAction', 'dynamodb:GetItem'],
    ['PolicyDocument Statement NotResource', '*'],
    ['PolicyDocument Statement Condition', {}],
    ['PolicyDocument Statement Principal', '*'],
    ['PolicyDocument Statement Effect', 'Perhaps'],
    ['PolicyDocument Statement Resource', username],
  ],
  'DynamoDB::GlobalTable': [['Replicas ResourcePolicy', { PolicyDocument: {} }]],
  'ApiGateway::RestApi': [
    ['Policy', {}],
    ['BinaryMediaTypes', ['image/png']],
    ['MinimumCompressionSize', 0],
    ['EndpointConfiguration Types', ['EDGE']],
  ],
  'ApiGateway::Stage': [
    ['MethodSettings CachingEnabled', true],
    ['CanarySetting', {}],
    ['Variables', { color: 'green' }],
  ],
  'ApiGateway::Resource': [['PathPart', '{proxy+}']],
  'ApiGateway::Method': [
    ['HttpMethod', 'ANY'],
    ['ApiKeyRequired', true],
    ['AuthorizationType', 'AWS_IAM'],
    ['RequestValidatorId', 'x'],
    ['Integration Type', 'HTTP_PROXY'],
    ['Integration RequestTemplates application/json', '{}'],
    ['Integration IntegrationResponses SelectionPattern', '2..'],
    ['Integration IntegrationResponses ResponseTemplates', {}],
  ],
  'ApiGateway::Authorizer': [
    ['Type', 'REQUEST'],
    ['IdentitySource', 'method.request.header.A,method.request.header.B'],
  ],
  'ApiGateway::GatewayResponse': [
    ...words(`
      context.requestId context.error.message method.request.body method.request.header.X
      method.request.querystring.q stageVariables.color
    `).map((source): [string, string] => ['ResponseParameters gatewayresponse.header.X', source]),
    ['ResponseTemplates application/json', '{"id":"$context.requestId"}'],
    ['ResponseTemplates text/html', 'x'],
  ],
};

export const unsupported = Object.entries(byType).flatMap(([type, rows]) =>
  rows.map(([path, value]) => [`AWS::${type}`, words(path), value] as const),
);
