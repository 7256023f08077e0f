export type Json = null | string | number | boolean | Json[] | { [key: string]: Json };
export type Resource = { Type: string; Properties?: Record<string, Json>; Condition?: string };

export const accountId = '000000000000';
export const region = () => process.env.AWS_REGION || 'us-east-1';

const pseudoParameters = (): Record<string, string> => ({
  'AWS::AccountId': accountId,
  'AWS::Partition': 'aws',
  'AWS::Region': region(),
  'AWS::StackName': 'local',
  'AWS::URLSuffix': 'amazonaws.com',
});

/**
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 */
export function resolve(value: Json, path: string, resources: Record<string, Resource>): unknown {
  const plain = (inner: Json | undefined) => resolve(inner ?? null, path, resources);
  const refuse = (what: string): never => {
    throw new Error(`${path}: the emulator does not support ${what}.`);
  };
  const text = (inner: Json | undefined): string => {
    const result = plain(inner);
    return typeof result === 'string' ? result : refuse(JSON.stringify(inner));
  };
  const ref = (name: string) =>
    pseudoParameters()[name] ?? (name in resources ? name : refuse(`Ref ${name}`));
  const getAtt = (logicalId: string, attribute: string) =>
    attributes[resources[logicalId]?.Type ?? '']?.[attribute]?.(logicalId) ??
    refuse(`Fn::GetAtt ${logicalId}.${attribute}`);

  if (Array.isArray(value)) return value.map(plain);
  if (!value || typeof value !== 'object') return value;
  const [name = '', ...more] = Object.keys(value);
  if (more.length > 0 || !(name === 'Ref' || name.startsWith('Fn::'))) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  }
  const argument = value[name] as Json;
  const list = Array.isArray(argument) ? argument : [argument];
  switch (name) {
    case 'Ref':
      return ref(text(argument));
    case 'Fn::GetAtt': {
      const [logicalId, ...attribute] =
        typeof argument === 'string' ? argument.split('.') : list.map(text);
      return getAtt(logicalId ?? '', attribute.join('.'));
    }
    case 'Fn::Join':
      return (plain(list[1]) as unknown[]).join(text(list[0]));
    case 'Fn::Split':
      return text(list[1]).split(text(list[0]));
    case 'Fn::Select':
      return (plain(list[1]) as unknown[])[Number(plain(list[0]))] ?? refuse(JSON.stringify(value));
    case 'Fn::Sub': {
      const variables = (list[1] ?? {}) as Record<string, Json>;
      return text(list[0]).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, inner: string) => {
        const [logicalId = '', ...attribute] = inner.split('.');
        if (literal) return `\${${inner}}`;
        if (inner in variables) return text(variables[inner]);
        return attribute.length > 0 ? getAtt(logicalId, attribute.join('.')) : ref(inner);
      });
    }
    default:
      return refuse(name);
  }
}

const arn = (service: string, resource: string) =>
  `arn:aws:${service}:${region()}:${accountId}:${resource}`;

/** What Fn::GetAtt gives, by type of resource. */
const attributes: Record<string, Record<string, (logicalId: string) => string>> = {
  'AWS::ApiGateway::RestApi': { RootResourceId: rootResourceId },
  'AWS::DynamoDB::GlobalTable': { Arn: tableArn },
  'AWS::IAM::Role': { Arn: (id) => `arn:aws:iam::${accountId}:role/${id}` },
  'AWS::Lambda::Function': { Arn: functionArn },
  'AWS::Logs::LogGroup': { Arn: (id) => arn('logs', `log-group:${id}:*`) },
};

export function rootResourceId(restApiId: string): string {
  return `${restApiId}.root`;
}

export function tableArn(tableName: string): string {
  return arn('dynamodb', `table/${tableName}`);
}

export function functionArn(functionName: string): string {
  return arn('lambda', `function:${functionName}`);
}
