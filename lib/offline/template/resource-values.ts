export const accountId = '000000000000';
export const region = (): string => process.env.AWS_REGION || 'us-east-1';

const arn = (service: string, resource: string) =>
  `arn:aws:${service}:${region()}:${accountId}:${resource}`;
export const rootResourceId = (restApiId: string): string => `${restApiId}.root`;
export const tableArn = (tableName: string): string => arn('dynamodb', `table/${tableName}`);
export const functionArn = (functionName: string): string =>
  arn('lambda', `function:${functionName}`);

/** Returns the name in the ARN of a role or policy. */
export const nameInArn = (ofIam: string): string => ofIam.slice(ofIam.lastIndexOf('/') + 1);

export const pseudoParameters = (): Record<string, string> => ({
  'AWS::AccountId': accountId,
  'AWS::Partition': 'aws',
  'AWS::Region': region(),
  'AWS::StackId': arn('cloudformation', 'stack/local/0'),
  'AWS::StackName': 'local',
  'AWS::URLSuffix': 'amazonaws.com',
});

/** A resource of a template. `property` resolves a property, to undefined if that is impossible. */
export interface NamedResource {
  logicalId: string;
  type: string;
  property(name: string): unknown;
}

/** The types that the emulator serves: its functions find them by their logical ids. */
const isNamedByLogicalId =
  /^AWS::(ApiGateway|DynamoDB|IAM::(ManagedPolicy|Role)|Lambda::Function|Logs)\b/;

function nameOf({ logicalId, type, property }: NamedResource): string {
  if (isNamedByLogicalId.test(type)) {
    return logicalId;
  }
  const named = property(`${lastPartOfType(type)}Name`) ?? property('Name');
  if (typeof named === 'string') {
    return named;
  }
  return type === 'AWS::S3::Bucket' ? logicalId.toLowerCase() : logicalId;
}

const lastPartOfType = (type: string) => type.slice(type.lastIndexOf(':') + 1);

/** Services whose names in ARNs and hosts differ from those in types. */
const services: Record<string, string> = { cognito: 'cognito-idp', stepfunctions: 'states' };

/** ARNs that differ from `arn:aws:SERVICE:REGION:ACCOUNT:type-in-kebab-case/NAME`. */
const arns: Record<string, (name: string) => string> = {
  'AWS::Cognito::UserPool': (name) => arn('cognito-idp', `userpool/${region()}_${name}`),
  'AWS::DynamoDB::GlobalTable': tableArn,
  'AWS::DynamoDB::Table': tableArn,
  'AWS::IAM::ManagedPolicy': (name) => `arn:aws:iam::${accountId}:policy/${name}`,
  'AWS::IAM::Role': (name) => `arn:aws:iam::${accountId}:role/${name}`,
  'AWS::Lambda::Function': functionArn,
  'AWS::Logs::LogGroup': (name) => arn('logs', `log-group:${name}:*`),
  'AWS::S3::Bucket': (name) => `arn:aws:s3:::${name}`,
  'AWS::SecretsManager::Secret': (name) => arn('secretsmanager', `secret:${name}-AbCdEf`),
  'AWS::SNS::Topic': (name) => arn('sns', name),
  'AWS::SQS::Queue': (name) => arn('sqs', name),
  'AWS::StepFunctions::StateMachine': (name) => arn('states', `stateMachine:${name}`),
};

/** The types whose `Ref` is their ARN. */
const namedByArn = [
  /^AWS::CertificateManager::\w+$/,
  /^AWS::ElasticLoadBalancingV2::\w+$/,
  /^AWS::IAM::ManagedPolicy$/,
  /^AWS::Lambda::(Alias|LayerVersion|Version)$/,
  /^AWS::SecretsManager::\w+$/,
  /^AWS::SNS::Topic$/,
  /^AWS::StepFunctions::\w+$/,
];

/**
 * Returns what `Ref` gives. A resource that the emulator serves has its logical id for a name. Any
 * other has a value of AWS's shape.
 */
export function referenceTo(resource: NamedResource): string {
  const { logicalId, type } = resource;
  if (type === 'AWS::Cognito::UserPool') {
    return `${region()}_${logicalId}`;
  }
  if (type === 'AWS::SQS::Queue') {
    return attributeOf(resource, 'QueueUrl');
  }
  const isNamedByArn = namedByArn.some((known) => known.test(type));
  return isNamedByArn ? attributeOf(resource, 'Arn') : nameOf(resource);
}

/** Returns what `Fn::GetAtt` gives, in AWS's shape. */
export function attributeOf(resource: NamedResource, attribute: string): string {
  const { logicalId, type, property } = resource;
  const name = nameOf(resource);
  const [, namespace = ''] = type.toLowerCase().split('::');
  const service = services[namespace] ?? namespace;
  const host = `${name}.${service}.${region()}.amazonaws.com`.toLowerCase();
  if (attribute === 'QueueUrl') {
    return `https://sqs.${region()}.amazonaws.com/${accountId}/${name}`;
  }
  if (attribute === 'RootResourceId') {
    return rootResourceId(logicalId);
  }
  if (attribute === 'StreamArn') {
    return `${tableArn(name)}/stream/2026-01-01T00:00:00.000`;
  }
  if (/(ur[il]|ApiEndpoint)$/i.test(attribute)) {
    return `https://${host}`;
  }
  if (/DomainName$|Endpoint(\.Address)?$/.test(attribute)) {
    return host;
  }
  if (/Port$/.test(attribute)) {
    return '443';
  }
  if (!attribute.endsWith('Arn')) {
    return attribute.endsWith('Id') ? logicalId : name;
  }
  if (/^AWS::Lambda::(Alias|Version)$/.test(type)) {
    const functionName = `${property('FunctionName')}`.replace(/^.*:/, '');
    return `${functionArn(functionName)}:${property('Name') ?? 1}`;
  }
  const kebab = lastPartOfType(type).replace(/\B(?=[A-Z])/g, '-');
  return arns[type]?.(name) ?? arn(service, `${kebab.toLowerCase()}/${name}`);
}
