import { matches } from '../policy-evaluation.ts';
import type { Json, Resource } from './cloud-assembly.ts';
import {
  attempt,
  branchOf,
  holds,
  isIntrinsic,
  refuse,
  resolve,
  type Scope,
} from './intrinsics.ts';
import type { Properties } from './properties.ts';
import { functionArn } from './resource-values.ts';
import {
  managedPolicies,
  type PropertyRule,
  quietTypes,
  type SupportedType,
  supportedTypes,
} from './supported-types.ts';

/**
 * Reads what a request can reach: the first stage of the first REST API, the functions that it
 * invokes, what their roles say of DynamoDB, and the tables; of a stack that only has tables for
 * another, these. Throws if an answer could depend on what the emulator does not support, and names
 * logical id and property. Leaves all else alone, and says in words what is not imitated.
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
    const properties = readValue(given, supportedTypes[type], path, { scope, leftOut });
    resources.set(key, { type, properties });
    return properties as Properties[Type];
  }

  /** Reads a role, and each of its policies as one of type AWS::IAM::Policy. */
  function readRole(role: string): void {
    const { ManagedPolicyArns = [] } = read(role, 'AWS::IAM::Role');
    const attached = ManagedPolicyArns.map(nameInArn);
    for (const name of attached)
      if (scope.Resources[name]?.Type !== 'AWS::IAM::ManagedPolicy' && !managedPolicies.has(name))
        refuse(`${role}.ManagedPolicyArns`, `the managed policy ${name}`);
    const readPolicy = (path: string, given: object) => {
      const policy = { ...given, Roles: [role] } as Record<string, Json>;
      const PolicyDocument = aboutDynamodb(policy.PolicyDocument);
      const key = `${role} ${resources.size}`;
      read(path, 'AWS::IAM::Policy', { ...policy, PolicyDocument }, key);
    };
    for (const inline of [scope.Resources[role]?.Properties?.Policies ?? []].flat())
      readPolicy(`${role}.Policies`, Object(inline));
    for (const [logicalId, { Type, Properties = {} }] of all) {
      if (!/^AWS::IAM::(Managed|Role)?Policy$/.test(Type)) continue;
      const { Roles = [], RoleName = [] } = Properties;
      const roles = [resolve([Roles, RoleName], `${logicalId}.Roles`, scope)].flat(2);
      if (roles.includes(role) || attached.includes(logicalId)) readPolicy(logicalId, Properties);
    }
  }

  const [apiId] = all.find(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi') ?? [];
  let stages = 0;
  for (const [logicalId, { Type, Properties }] of all) {
    if (/^AWS::DynamoDB::(Global)?Table$/.test(Type)) read(logicalId, 'AWS::DynamoDB::GlobalTable');
    if (hasOnlyTables || !/^AWS::ApiGateway::/.test(Type) || !(Type in supportedTypes)) continue;
    const partOf = attempt(() => resolve(Properties?.RestApiId, logicalId, scope));
    if (logicalId !== apiId && partOf !== apiId) continue;
    if (Type === 'AWS::ApiGateway::Stage' && stages++ > 0) continue;
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
    const role = nameInArn(Role);
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
const nameInArn = (arn: string) => arn.slice(arn.lastIndexOf('/') + 1);

/** Tells whether a URI, or a text with URIs, calls a function, or a version or an alias of it. */
export const invokes = (text: string | undefined, functionName: string): boolean =>
  new RegExp(`${functionArn(functionName)}(:\\w+)?/invocations`).test(text ?? '');

/** Leaves out the statements of a policy that only name actions of other services. */
function aboutDynamodb(document: Json | undefined): Json {
  const { Statement = [], ...more } = Object(document) as Record<string, Json>;
  const isJudged = (statement: Json) =>
    [Object(statement).Action].flat().some((pattern) => {
      const text = typeof pattern === 'string' ? pattern.toLowerCase() : '*';
      const [service = '', action] = text.split(':');
      return matches(service, 'dynamodb') || (action === undefined && service.includes('*'));
    });
  return { ...more, Statement: [Statement].flat().filter(isJudged) };
}

/**
 * Returns the part of a value that the emulator reads, with intrinsics resolved; undefined for what
 * is not given or not read. Throws if an answer could depend on a property that it does not
 * support. Adds the paths of those that it leaves out to `leftOut`.
 */
function readValue(
  value: Json,
  rule: PropertyRule | undefined,
  path: string,
  to: Reading,
): unknown {
  const { scope, leftOut } = to;
  const given = rule === 'ignored' ? undefined : branchOf(value, path, scope);
  if (rule === 'ignored' || given === undefined) return undefined;
  if (rule === undefined) return refuse(path, 'this property');
  if (rule === 'left out') return void leftOut.push(path);
  if (typeof rule === 'function') {
    const plain = resolve(given, path, scope);
    const wrong = [plain].flat().find((item) => !rule(item));
    return wrong === undefined ? plain : refuse(path, JSON.stringify(wrong));
  }
  if (Array.isArray(given)) {
    const items: unknown[] = given.map((item) => readValue(item, rule, path, to));
    return items.filter((item) => item !== undefined);
  }
  if (given === null || typeof given !== 'object' || isIntrinsic(given))
    return refuse(path, JSON.stringify(given));
  const members = Object.entries(given).map(([name, member]): [string, unknown] => {
    const ofMember = rule[name] ?? rule[`${name.slice(0, name.lastIndexOf('.') + 1)}*`];
    return [name, readValue(member, ofMember, `${path}.${name}`, to)];
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
type Reading = { scope: Scope; leftOut: string[] };
