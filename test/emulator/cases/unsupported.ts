import { words } from '../../support/words.ts';

/** The member is the one in the value that is not supported, if the others are. */
type Unsupported = [property: string, value: unknown, member?: string];
const json = 'application/json';
const mock = (integration: object, member: string): Unsupported => [
  'Integration',
  { Type: 'MOCK', ...integration },
  member,
];
/** What the emulator does not support, by the type of a resource. */
export const unsupported: Record<string, Unsupported[]> = {
  'Lambda::Function': [
    ['Layers', ['layer']],
    ['Runtime', 'python3.14'],
    ['Handler', 'a/b.handler'],
    ['Code', { ImageUri: 'image' }, 'ImageUri'],
    ['PackageType', 'Image'],
    ['FileSystemConfigs', []],
    ['Timeout', { Ref: 'Seconds' }],
    ['MemorySize', { 'Fn::If': ['Big', 512, 128] }],
    ['Environment', { Variables: { A: { 'Fn::GetAtt': ['Table', 'StreamArn'] } } }, 'Variables'],
    ['Environment', { Variables: { A: { 'Fn::ImportValue': 'x' } } }, 'Variables'],
    ['Environment', { 'Fn::If': ['Big', {}, {}] }],
    ['Role', 'arn:aws:iam::aws:role/service-role/Basic'],
  ],
  'IAM::Role': [
    ['ManagedPolicyArns', ['arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess']],
    ['PermissionsBoundary', 'arn'],
  ],
  'IAM::Policy': Object.entries({
    NotAction: 'dynamodb:GetItem',
    NotResource: '*',
    Condition: {},
    Principal: '*',
    Effect: 'Perhaps',
    Resource: `arn:aws:dynamodb:*:*:table/\${aws:username}`,
  }).map(([name, value]): Unsupported => {
    const document = { Statement: [{ [name]: value }] };
    return ['PolicyDocument', document, `Statement.${name}`];
  }),
  'DynamoDB::GlobalTable': [
    [
      'Replicas',
      [{ Region: 'us-east-1', ResourcePolicy: { PolicyDocument: {} } }],
      'ResourcePolicy',
    ],
  ],
  'ApiGateway::RestApi': [
    ['Policy', {}],
    ['BinaryMediaTypes', ['image/png']],
    ['MinimumCompressionSize', 0],
    ['EndpointConfiguration', { Types: ['EDGE'] }, 'Types'],
  ],
  'ApiGateway::Stage': [
    ['MethodSettings', [{ CachingEnabled: true }], 'CachingEnabled'],
    ['CanarySetting', {}],
    ['Variables', { color: 'green' }],
  ],
  'ApiGateway::Resource': [['PathPart', '{proxy+}']],
  'ApiGateway::Method': [
    ['HttpMethod', 'ANY'],
    ['ApiKeyRequired', true],
    ['AuthorizationType', 'AWS_IAM'],
    ['RequestValidatorId', 'x'],
    ['Integration', { Type: 'HTTP_PROXY' }, 'Type'],
    mock({ RequestTemplates: { [json]: '{}' } }, `RequestTemplates.${json}`),
    mock(
      { IntegrationResponses: [{ SelectionPattern: '2..', StatusCode: '200' }] },
      'IntegrationResponses.SelectionPattern',
    ),
    mock(
      { IntegrationResponses: [{ StatusCode: '200', ResponseTemplates: {} }] },
      'IntegrationResponses.ResponseTemplates',
    ),
  ],
  'ApiGateway::Authorizer': [
    ['Type', 'REQUEST'],
    ['IdentitySource', 'method.request.header.A,method.request.header.B'],
  ],
  'ApiGateway::GatewayResponse': [
    ...words(`
      context.requestId context.error.message method.request.body method.request.header.X
      method.request.querystring.q stageVariables.color
    `).map(
      (source): Unsupported => [
        'ResponseParameters',
        { 'gatewayresponse.header.X': source },
        'gatewayresponse.header.X',
      ],
    ),
    ['ResponseTemplates', { [json]: '{"id":"$context.requestId"}' }, json],
    ['ResponseTemplates', { 'text/html': 'x' }, 'text/html'],
  ],
};
