import { attempt } from '../attempt.ts';
import { matches } from '../policy-evaluation.ts';
import type { Json, Resource } from './cloud-assembly.ts';
import { branchOf, holds, isIntrinsic, refuse, resolve, type Scope } from './intrinsics.ts';
import type { Properties } from './properties.ts';
import { functionArn, nameInArn } from './resource-values.ts';
import {
  type MembersRule,
  managedPolicies,
  type PropertyRule,
  quietTypes,
  type SupportedType,
  supportedTypes,
  type ValueRule,
} from './supported-types.ts';

/**
 * Reads what a request can reach: the first stage of the first REST API, the functions that it
 * invokes, what their roles say of DynamoDB, and the tables; of a stack that only has tables for
 * another, these. Throws if an answer could depend on what the emulator does not support, and names
 * logical id and property. Leaves all else alone, and says in words what is not imitated.
 */
export function readRequestPath(scope: Scope, hasOnlyTables = false): RequestPath {
  const resources: Resources = new Map();
  const leftOut: string[] = [];
  const all = Object.entries(scope.Resources);

  /** Reads a resource by the rules of a type. A table of either type is read as a GlobalTable. */
  function read<Type extends keyof Properties>(logicalId: string, type: Type): Properties[Type] {
    const { Properties: given = {} } = scope.Resources[logicalId] ?? {};
    return readProperties(logicalId, type, given, logicalId);
  }

  function readProperties<Type extends keyof Properties>(
    path: string,
    type: Type,
    given: Record<string, Json>,
    key: string,
  ): Properties[Type] {
    // The scope passes over a condition that cannot be evaluated. Here an answer depends on it.
    const { Condition } = scope.Resources[path] ?? {};
    if (Condition !== undefined) {
      holds(Condition, `${path}.Condition`, scope);
    }
    const rule: PropertyRule = { kind: 'members', members: supportedTypes[type] };
    const properties = readValue(given, rule, path, { scope, leftOut });
    resources.set(key, { type, properties });
    return properties as Properties[Type];
  }

  /** Reads a role, and each of its policies as one of type AWS::IAM::Policy. */
  function readRole(role: string): void {
    const { ManagedPolicyArns = [] } = read(role, 'AWS::IAM::Role');
    const attached = ManagedPolicyArns.map(nameInArn);
    for (const name of attached) {
      if (scope.Resources[name]?.Type !== 'AWS::IAM::ManagedPolicy' && !managedPolicies.has(name)) {
        refuse(`${role}.ManagedPolicyArns`, `the managed policy ${name}`);
      }
    }
    for (const inline of [scope.Resources[role]?.Properties?.Policies ?? []].flat()) {
      readPolicy(role, `${role}.Policies`, Object(inline));
    }
    for (const [logicalId, { Type, Properties = {} }] of all) {
      if (/^AWS::IAM::(Managed|Role)?Policy$/.test(Type)) {
        const { Roles = [], RoleName = [] } = Properties;
        const roles = [resolve([Roles, RoleName], `${logicalId}.Roles`, scope)].flat(2);
        if (roles.includes(role) || attached.includes(logicalId)) {
          readPolicy(role, logicalId, Properties);
        }
      }
    }
  }

  function readPolicy(role: string, path: string, given: Record<string, Json>): void {
    const policy = { ...given, Roles: [role], PolicyDocument: aboutDynamodb(given.PolicyDocument) };
    readProperties(path, 'AWS::IAM::Policy', policy, `${role} ${resources.size}`);
  }

  function readFunction(logicalId: string): void {
    const { Environment, Role, Runtime } = read(logicalId, 'AWS::Lambda::Function');
    if (Runtime !== 'nodejs24.x') {
      leftOut.push(`${logicalId}.Runtime ${Runtime}: it runs on Node 24`);
    }
    for (const [name, value] of Object.entries(Environment?.Variables ?? {})) {
      if (`${value}`.includes('{{resolve:')) {
        leftOut.push(`the value of ${name} in ${logicalId}`);
      }
    }
    const role = nameInArn(Role);
    if (scope.Resources[role]?.Type !== 'AWS::IAM::Role') {
      refuse(`${logicalId}.Role`, `${Role}, a role of another stack`);
    }
    if (!resources.has(role)) {
      readRole(role);
    }
  }

  const [apiId] = all.find(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi') ?? [];
  const isOfApi = ([logicalId, { Properties }]: Entry): boolean =>
    logicalId === apiId ||
    attempt(() => resolve(Properties?.RestApiId, logicalId, scope)) === apiId;
  const isStage = ([, { Type }]: Entry): boolean => Type === 'AWS::ApiGateway::Stage';
  const firstStage = all.find((entry) => isStage(entry) && isOfApi(entry));
  const isServed = (entry: Entry): boolean => {
    const [, { Type }] = entry;
    if (!/^AWS::ApiGateway::/.test(Type) || !(Type in supportedTypes)) {
      return false;
    }
    return isStage(entry) ? entry === firstStage : isOfApi(entry);
  };

  for (const entry of all) {
    const [logicalId, { Type }] = entry;
    if (/^AWS::DynamoDB::(Global)?Table$/.test(Type)) {
      read(logicalId, 'AWS::DynamoDB::GlobalTable');
    } else if (!hasOnlyTables && isServed(entry)) {
      read(logicalId, Type as SupportedType);
    }
  }
  const uris = urisIn(resources);
  for (const [logicalId, { Type }] of all) {
    if (Type === 'AWS::Lambda::Function' && uris.some((uri) => invokes(uri, logicalId))) {
      readFunction(logicalId);
    }
  }

  const unread = all.filter(([logicalId]) => !resources.has(logicalId));
  return { resources, leftOut: [...namesByType(withoutQuiet(unread, all)), ...leftOut] };
}

/** What a request can reach. */
export interface RequestPath {
  resources: Resources;
  /** What is not imitated, in words. */
  leftOut: string[];
}

/**
 * Leaves out the resources that only observe, permit or configure another one, and the topics and
 * queues of alarms.
 */
function withoutQuiet(some: Entry[], all: Entry[]): Entry[] {
  const alarms = all.filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
  const ofAlarms = new Set(alarms.flatMap(([, alarm]) => referencesIn(alarm.Properties)));
  const isQuiet = ([logicalId, { Type }]: Entry): boolean =>
    ofAlarms.has(logicalId) || quietTypes.some((quiet) => quiet.test(Type));
  return some.filter((entry) => !isQuiet(entry));
}

/** Returns a text for each type, with its name and its resources' logical ids. */
function namesByType(entries: Entry[]): string[] {
  const byType = Map.groupBy(entries, ([, { Type }]) => Type);
  return [...byType].map(([type, group]) => `${type} ${group.map(([id]) => id).join(', ')}`);
}

/** By logical id. */
type Resources = Map<string, { type: SupportedType; properties: unknown }>;

/** Returns the resources of a type. */
export function ofType<Type extends keyof Properties>(
  resources: Resources,
  type: Type,
): Map<string, Properties[Type]> {
  const found = [...resources].filter(([, resource]) => resource.type === type);
  return new Map(found.map(([id, { properties }]) => [id, properties as Properties[Type]]));
}

/** Returns the URIs that methods and authorizers call. */
function urisIn(resources: Resources): (string | undefined)[] {
  const methods = [...ofType(resources, 'AWS::ApiGateway::Method').values()];
  const authorizers = [...ofType(resources, 'AWS::ApiGateway::Authorizer').values()];
  return [
    ...methods.map(({ Integration }) => Integration.Uri),
    ...authorizers.map(({ AuthorizerUri }) => AuthorizerUri),
  ];
}

type Entry = [logicalId: string, resource: Resource];

/** Returns the logical ids and parameters to which a value refers by `Ref`. */
function referencesIn(value: Json | undefined): string[] {
  if (value === null || typeof value !== 'object') {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap(referencesIn);
  }
  const inside = Object.values(value).flatMap(referencesIn);
  return typeof value.Ref === 'string' ? [value.Ref, ...inside] : inside;
}

/** Tells whether a URI calls a function, or a version or an alias of it. */
export const invokes = (uri: string | undefined, functionName: string): boolean =>
  new RegExp(`${functionArn(functionName)}(:\\w+)?/invocations`).test(uri ?? '');

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
  // It is not resolved, because it may use intrinsics that the emulator does not know.
  if (rule?.kind === 'ignored') {
    return undefined;
  }
  const given = branchOf(value, path, to.scope);
  if (given === undefined) {
    return undefined;
  }
  switch (rule?.kind) {
    case undefined:
      return refuse(path, 'this property');
    case 'left out':
      to.leftOut.push(path);
      return undefined;
    case 'value':
      return readPlain(given, rule, path, to.scope);
    case 'members':
      return Array.isArray(given)
        ? given.map((item) => readValue(item, rule, path, to)).filter((item) => item !== undefined)
        : readMembers(given, rule, path, to);
  }
}

/** Where a reading takes values from, and where it notes what it leaves out. */
interface Reading {
  scope: Scope;
  leftOut: string[];
}

function readPlain(given: Json, rule: ValueRule, path: string, scope: Scope): unknown {
  const plain = resolve(given, path, scope);
  const wrong = [plain].flat().find((item) => !rule.allows(item));
  return wrong === undefined ? plain : refuse(path, JSON.stringify(wrong));
}

function readMembers(given: Json, { members }: MembersRule, path: string, to: Reading): unknown {
  if (given === null || typeof given !== 'object' || isIntrinsic(given)) {
    return refuse(path, JSON.stringify(given));
  }
  const read: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(given)) {
    const family = `${name.slice(0, name.lastIndexOf('.') + 1)}*`;
    const value = readValue(member, members[name] ?? members[family], `${path}.${name}`, to);
    if (value !== undefined) {
      read[name] = value;
    }
  }
  return read;
}
