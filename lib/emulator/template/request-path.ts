import { matches } from '../policy-evaluation.ts';
import { type Json, refuse, resolve, type Scope } from './intrinsics.ts';
import type { Properties } from './properties.ts';
import { readProperties } from './read-properties.ts';
import { functionArn } from './resource-values.ts';
import {
  managedPolicies,
  type PropertyRules,
  quietTypes,
  type SupportedType,
  supportedTypes,
} from './supported-types.ts';

/** What answers depend on, and what of the template they do not. */
export interface RequestPath {
  /** The resources that a request can reach, by logical id. */
  resources: Map<string, { type: SupportedType; properties: unknown }>;
  /** What is not imitated, in words. */
  leftOut: string[];
}

/**
 * Reads what a request can reach: the API, the functions that it invokes, what their roles say of
 * DynamoDB, and the tables. Throws if an answer could depend on a property that the emulator does
 * not support, and names logical id and property. Leaves all other resources alone.
 */
export function readRequestPath(scope: Scope): RequestPath {
  const resources: RequestPath['resources'] = new Map();
  const leftOut: string[] = [];
  const all = Object.entries(scope.resources);

  function read<Type extends keyof Properties>(logicalId: string, type: Type): Properties[Type] {
    const given = scope.resources[logicalId]?.Properties ?? {};
    const rules: PropertyRules = supportedTypes[type];
    const properties = readProperties(given, rules, logicalId, scope, leftOut);
    resources.set(logicalId, { type, properties });
    return properties as Properties[Type];
  }

  /** Reads a role, and each of its policies as one of type AWS::IAM::Policy. */
  function readRole(role: string): void {
    const { ManagedPolicyArns = [] } = read(role, 'AWS::IAM::Role');
    const rules = supportedTypes['AWS::IAM::Policy'];
    const readPolicy = (key: string, path: string, given: Record<string, Json>) => {
      const judged = { ...given, PolicyDocument: aboutDynamodb(given.PolicyDocument) };
      const policy = readProperties(judged, rules, path, scope);
      resources.set(key, { type: 'AWS::IAM::Policy', properties: { ...policy, Roles: [role] } });
    };
    const { Policies: inline = [] } = scope.resources[role]?.Properties ?? {};
    for (const [i, given] of (inline as Record<string, Json>[]).entries())
      readPolicy(`${role} ${i}`, `${role}.Policies`, given);

    const attached = ManagedPolicyArns.map((arn) => arn.slice(arn.lastIndexOf('/') + 1));
    for (const name of attached)
      if (scope.resources[name]?.Type !== 'AWS::IAM::ManagedPolicy' && !managedPolicies.has(name))
        refuse(`${role}.ManagedPolicyArns`, `the managed policy ${name}`);
    for (const [logicalId, { Type, Properties = {} }] of all) {
      if (!/^AWS::IAM::(Managed|Role)?Policy$/.test(Type)) continue;
      const { Roles = [], RoleName = [] } = Properties;
      const names = [resolve([Roles, RoleName], `${logicalId}.Roles`, scope)].flat(2);
      if (names.includes(role) || attached.includes(logicalId))
        readPolicy(`${role} ${logicalId}`, logicalId, Properties);
    }
  }

  for (const [logicalId, { Type }] of all)
    if (/^AWS::DynamoDB::(Global)?Table$/.test(Type)) read(logicalId, 'AWS::DynamoDB::GlobalTable');
    else if (/^AWS::ApiGateway::/.test(Type) && Type in supportedTypes)
      read(logicalId, Type as keyof Properties);
  const uris = [...resources.values()].map(({ properties }) => {
    const { Integration, AuthorizerUri } = properties as Partial<
      Properties['AWS::ApiGateway::Method'] & Properties['AWS::ApiGateway::Authorizer']
    >;
    return Integration?.Uri ?? AuthorizerUri;
  });
  for (const [logicalId, { Type }] of all) {
    if (Type !== 'AWS::Lambda::Function' || !uris.some((uri) => invokes(uri, logicalId))) continue;
    const { Environment, Role, Runtime } = read(logicalId, Type);
    if (Runtime !== 'nodejs24.x')
      leftOut.push(`${logicalId}.Runtime ${Runtime}: it runs on Node 24`);
    for (const [name, value] of Object.entries(Environment?.Variables ?? {}))
      if (`${value}`.includes('{{resolve:')) leftOut.push(`the value of ${name} in ${logicalId}`);
    const role = Role.slice(Role.lastIndexOf('/') + 1);
    if (scope.resources[role]?.Type !== 'AWS::IAM::Role')
      throw new Error(`${logicalId}.Role: the template has no role ${Role}.`);
    if (!resources.has(role)) readRole(role);
  }

  // Alarms are quiet, and so is where they go.
  const alarms = JSON.stringify(all.filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm'));
  const isLeftOut = ([logicalId, { Type }]: (typeof all)[number]) =>
    !resources.has(logicalId) &&
    !quietTypes.test(Type) &&
    !alarms.includes(`{"Ref":"${logicalId}"}`);
  const byType = Map.groupBy(all.filter(isLeftOut), ([, { Type }]) => Type);
  const named = [...byType].map(([type, group]) => `${type} ${group.map(([id]) => id).join(', ')}`);
  return { resources, leftOut: [...named, ...leftOut] };
}

/** Tells whether a method or an authorizer calls a function, or a version or an alias of it. */
export const invokes = (uri: string | undefined, functionName: string): boolean =>
  new RegExp(`${functionArn(functionName)}(:\\w+)?/invocations$`).test(uri ?? '');

/** Leaves out the statements of a policy that only name actions of other services. */
function aboutDynamodb(document: Json | undefined): Json {
  const { Statement = [], ...more } = Object(document) as Record<string, Json>;
  const isJudged = ({ Action }: { Action?: Json }) =>
    Action === undefined ||
    [Action].flat().some((pattern) => {
      const [service = '', action] = typeof pattern === 'string' ? pattern.split(':') : ['*'];
      return matches(service, 'dynamodb', 'i') || (action === undefined && service.includes('*'));
    });
  return {
    ...more,
    Statement: ([Statement].flat() as { [name: string]: Json }[]).filter(isJudged),
  };
}
