import { matches } from '../policy-evaluation.ts';
import type { Json, Resource } from './cloud-assembly.ts';
import { attempt, holds, refuse, resolve, type Scope } from './intrinsics.ts';
import type { Properties } from './properties.ts';
import { readProperties } from './read-properties.ts';
import { functionArn } from './resource-values.ts';
import {
  managedPolicies,
  quietTypes,
  type SupportedType,
  supportedTypes,
} from './supported-types.ts';

/**
 * Reads what a request can reach: the first stage of the first REST API, the functions that it
 * invokes, what their roles say of DynamoDB, and the tables; of a stack that only has tables for
 * another, these. Throws if an answer could depend on a property that the emulator does not
 * support, and names logical id and property. Leaves all other resources alone, and says in words
 * what is not imitated.
 */
export function readRequestPath(scope: Scope, hasOnlyTables = false) {
  const resources = new Map<string, { type: SupportedType; properties: unknown }>();
  const leftOut: string[] = [];
  const all = Object.entries(scope.Resources);

  function read<Type extends keyof Properties>(
    path: string,
    type: Type,
    given = scope.Resources[path]?.Properties ?? {},
    key = path,
  ): Properties[Type] {
    // One that cannot be evaluated matters here.
    const { Condition } = scope.Resources[path] ?? {};
    if (Condition !== undefined) holds(Condition, `${path}.Condition`, scope);
    const properties = readProperties(given, supportedTypes[type], path, scope, leftOut);
    resources.set(key, { type, properties });
    return properties as Properties[Type];
  }

  /** Reads a role, and each of its policies as one of type AWS::IAM::Policy. */
  function readRole(role: string): void {
    const { ManagedPolicyArns = [] } = read(role, 'AWS::IAM::Role');
    const attached = ManagedPolicyArns.map(lastOf);
    for (const name of attached)
      if (scope.Resources[name]?.Type !== 'AWS::IAM::ManagedPolicy' && !managedPolicies.has(name))
        refuse(`${role}.ManagedPolicyArns`, `the managed policy ${name}`);
    const isOfRole = ([logicalId, { Type, Properties = {} }]: Entry) => {
      if (!/^AWS::IAM::(Managed|Role)?Policy$/.test(Type)) return false;
      const { Roles = [], RoleName = [] } = Properties;
      const names = [resolve([Roles, RoleName], `${logicalId}.Roles`, scope)].flat(2);
      return names.includes(role) || attached.includes(logicalId);
    };
    const inline = [scope.Resources[role]?.Properties?.Policies ?? []].flat();
    const policies = [
      ...inline.map((given) => ({ path: `${role}.Policies`, given })),
      ...all.filter(isOfRole).map(([path, { Properties }]) => ({ path, given: Properties })),
    ];
    for (const [i, { path, given }] of policies.entries()) {
      const policy: Record<string, Json> = Object(given);
      const PolicyDocument = aboutDynamodb(policy.PolicyDocument);
      read(path, 'AWS::IAM::Policy', { ...policy, PolicyDocument, Roles: [role] }, `${role} ${i}`);
    }
  }

  const [apiId] = all.find(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi') ?? [];
  let hasStage = false;
  for (const [logicalId, { Type, Properties }] of all) {
    if (/^AWS::DynamoDB::(Global)?Table$/.test(Type)) read(logicalId, 'AWS::DynamoDB::GlobalTable');
    if (hasOnlyTables || !/^AWS::ApiGateway::/.test(Type) || !(Type in supportedTypes)) continue;
    const partOf = attempt(() => resolve(Properties?.RestApiId, logicalId, scope));
    if (logicalId !== apiId && partOf !== apiId) continue;
    const isStage = Type === 'AWS::ApiGateway::Stage';
    if (isStage && hasStage) continue;
    hasStage ||= isStage;
    read(logicalId, Type as keyof Properties);
  }
  const api = JSON.stringify([...resources.values()]);
  for (const [logicalId, { Type }] of all) {
    if (Type !== 'AWS::Lambda::Function' || !invokes(api, logicalId)) continue;
    const { Environment, Role, Runtime } = read(logicalId, Type);
    if (Runtime !== 'nodejs24.x')
      leftOut.push(`${logicalId}.Runtime ${Runtime}: it runs on Node 24`);
    for (const [name, value] of Object.entries(Environment?.Variables ?? {}))
      if (`${value}`.includes('{{resolve:')) leftOut.push(`the value of ${name} in ${logicalId}`);
    const role = lastOf(Role);
    if (scope.Resources[role]?.Type !== 'AWS::IAM::Role')
      refuse(`${logicalId}.Role`, `${Role}, a role of another stack`);
    if (!resources.has(role)) readRole(role);
  }

  // Alarms are quiet, and so is where they go.
  const alarms = JSON.stringify(all.filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm'));
  const isLeftOut = ([logicalId, { Type }]: Entry) =>
    !resources.has(logicalId) &&
    !quietTypes.test(Type) &&
    !alarms.includes(`{"Ref":"${logicalId}"}`);
  const byType = Map.groupBy(all.filter(isLeftOut), ([, { Type }]) => Type);
  const named = [...byType].map(([type, group]) => `${type} ${group.map(([id]) => id).join(', ')}`);
  return { resources, leftOut: [...named, ...leftOut] };
}

type Entry = [logicalId: string, resource: Resource];

/** Returns the name in the ARN of a role or policy. */
const lastOf = (arn: string) => arn.slice(arn.lastIndexOf('/') + 1);

/** Tells whether a URI, or a text with URIs, calls a function, or a version or an alias of it. */
export const invokes = (text: string | undefined, functionName: string): boolean =>
  new RegExp(`${functionArn(functionName)}(:\\w+)?/invocations`).test(text ?? '');

/** Leaves out the statements of a policy that only name actions of other services. */
function aboutDynamodb(document: Json | undefined): Json {
  const { Statement = [], ...more } = Object(document) as Record<string, Json>;
  const isJudged = (statement: Json) =>
    [Object(statement).Action].flat().some((pattern) => {
      const [service = '', action] = typeof pattern === 'string' ? pattern.split(':') : ['*'];
      return matches(service, 'dynamodb', 'i') || (action === undefined && service.includes('*'));
    });
  return { ...more, Statement: [Statement].flat().filter(isJudged) };
}
