import { readFileSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import type { Statement } from '../policy-evaluation.ts';
import { type Json, type Resource, resolve } from './intrinsics.ts';
import {
  ignoredTypes,
  type PropertyRule,
  type PropertyRules,
  supportedTypes,
} from './supported-types.ts';

/** The properties that the emulator reads, with intrinsics resolved, by CloudFormation's names. */
export interface Properties {
  'AWS::DynamoDB::GlobalTable': {
    AttributeDefinitions: { AttributeName: string; AttributeType: 'S' | 'N' | 'B' }[];
    KeySchema: { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[];
  };
  'AWS::Lambda::Function': {
    Code: { S3Key: string };
    Environment?: { Variables?: Record<string, string> };
    Handler: string;
    LoggingConfig?: {
      LogFormat?: 'JSON';
      LogGroup?: string;
      ApplicationLogLevel?: string;
    };
    MemorySize?: number;
    Role: string;
    Timeout?: number;
  };
  'AWS::IAM::Role': unknown;
  'AWS::IAM::Policy': {
    PolicyDocument: { Statement: Statement | Statement[] };
    Roles: string[];
  };
  'AWS::ApiGateway::RestApi': object;
  'AWS::ApiGateway::Stage': { DeploymentId: string; StageName: string };
  'AWS::ApiGateway::Resource': { ParentId: string; PathPart: string };
  'AWS::ApiGateway::Method': {
    AuthorizationType: string;
    AuthorizerId?: string;
    HttpMethod: string;
    ResourceId: string;
    Integration: Integration;
  };
  'AWS::ApiGateway::Authorizer': {
    AuthorizerResultTtlInSeconds?: number;
    AuthorizerUri: string;
    IdentitySource: string;
    IdentityValidationExpression?: string;
  };
  'AWS::ApiGateway::GatewayResponse': {
    ResponseParameters?: Record<string, string>;
    ResponseTemplates?: Record<string, string>;
    ResponseType: string;
    StatusCode?: string;
  };
}

export interface Integration {
  IntegrationResponses?: { ResponseParameters?: Record<string, string>; StatusCode: string }[];
  RequestTemplates?: Record<string, string>;
  TimeoutInMillis?: number;
  Type: 'AWS_PROXY' | 'MOCK';
  Uri?: string;
}

export interface Template {
  /** The template's own file. */
  file: string;
  /** The resources of a type, by logical id. */
  of<Type extends keyof Properties>(type: Type): Map<string, Properties[Type]>;
  /** The folder that a function's code is deployed from. */
  folder(code: { S3Key: string }): string;
}

/**
 * Reads the one stack of a cloud assembly, the folder that `cdk synth` writes. A `Ref` to a
 * resource becomes its logical id. Throws if an answer could depend on a property that the emulator
 * does not support, and names logical id and property.
 */
export function readTemplate(assembly: string): Template {
  const read = (file: string) => JSON.parse(readFileSync(join(assembly, file), 'utf8'));
  const artifacts: { type: string; properties: Record<string, string> }[] = Object.values(
    read('manifest.json').artifacts,
  );
  const ofType = (type: string) => artifacts.filter((artifact) => artifact.type === type);
  const [stack, ...others] = ofType('aws:cloudformation:stack');
  if (!stack || others.length > 0)
    throw new Error(
      `${assembly} holds ${others.length + (stack ? 1 : 0)} stacks; the emulator runs one.`,
    );

  const file = `${stack.properties.templateFile}`;
  const template: {
    Resources: Record<string, Resource>;
    Parameters?: Record<string, Json>;
    Transform?: Json;
  } = read(file);
  if (template.Transform)
    throw new Error('The template has a Transform, which the emulator does not support.');
  const resources = new Map<string, { type: string; properties: unknown }>();
  for (const [logicalId, { Type, Properties = {}, Condition }] of Object.entries(
    template.Resources,
  )) {
    if (ignoredTypes.has(Type)) continue;
    const rules = supportedTypes[Type];
    if (!rules) throw new Error(`${logicalId}: the emulator does not support ${Type}.`);
    if (Condition) throw new Error(`${logicalId}: the emulator does not support Condition.`);
    resources.set(logicalId, {
      type: Type,
      properties: readMembers(Properties, rules, logicalId, template.Resources),
    });
  }

  const folders = new Map<string, string>();
  for (const { properties } of ofType('cdk:asset-manifest')) {
    const files: {
      source: { path?: string };
      destinations: Record<string, { objectKey: string }>;
    }[] = Object.values(read(`${properties.file}`).files);
    for (const { source, destinations } of files) {
      for (const { objectKey } of Object.values(destinations))
        if (source.path) folders.set(objectKey, resolvePath(assembly, source.path));
    }
  }

  return {
    file: join(assembly, file),
    of: <Type extends keyof Properties>(type: Type) =>
      new Map(
        [...resources]
          .filter(([, r]) => r.type === type)
          .map(([id, r]) => [id, r.properties as Properties[Type]]),
      ),
    folder({ S3Key }) {
      const folder = folders.get(S3Key);
      if (!folder) throw new Error(`The assembly has no asset ${S3Key}.`);
      return folder;
    },
  };
}

function readMembers(
  members: Record<string, Json>,
  rules: PropertyRules,
  where: string,
  resources: Record<string, Resource>,
): unknown {
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(members)) {
    const rule = rules[name] ?? rules[`${name.slice(0, name.lastIndexOf('.') + 1)}*`];
    const path = `${where}.${name}`;
    if (rule === undefined)
      throw new Error(`${path}: the emulator does not support this property.`);
    if (rule !== 'ignored') entries.push([name, readValue(value, rule, path, resources)]);
  }
  return Object.fromEntries(entries);
}

function readValue(
  value: Json,
  rule: Exclude<PropertyRule, 'ignored'>,
  path: string,
  resources: Record<string, Resource>,
): unknown {
  const refuse = (item: unknown): never => {
    throw new Error(`${path}: the emulator does not support ${JSON.stringify(item)}.`);
  };
  if (typeof rule === 'function') {
    const plain = resolve(value, path, resources);
    for (const item of Array.isArray(plain) ? plain : [plain]) if (!rule(item)) refuse(item);
    return plain;
  }
  const readItem = (item: Json) =>
    isPlainObject(item) ? readMembers(item, rule, path, resources) : refuse(item);
  return Array.isArray(value) ? value.map(readItem) : readItem(value);
}

/** Tells whether a value is an object, and not an intrinsic such as `Ref`. */
const isPlainObject = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !Object.keys(value).some((name) => name === 'Ref' || name.startsWith('Fn::'));
