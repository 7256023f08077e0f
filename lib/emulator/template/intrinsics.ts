import { attributeOf, type ResourceSource, refOf, region } from './resource-values.ts';

export type Json = null | string | number | boolean | Json[] | { [key: string]: Json };
export type Resource = { Type: string; Properties?: Record<string, Json>; Condition?: string };

/** What the intrinsics of a template refer to. */
export interface Scope {
  resources: Record<string, Resource>;
  /** The values of the parameters. */
  parameters: Record<string, unknown>;
  conditions: Record<string, Json>;
  mappings: Record<string, Record<string, Record<string, Json>>>;
  /** Returns the value of another stack's output by its logical or export name, or undefined. */
  exported(name: string): unknown;
}

/** Refuses to start, in one line that names the place and says what to do. */
export function refuse(path: string, what: string): never {
  throw new Error(
    `${path}: the emulator does not support ${what}. ` +
      'Leave it out, or try it in a deployment: docs/imitates.md says what is supported.',
  );
}

/** Tells whether a value is an intrinsic function. */
export const isIntrinsic = (value: object) => {
  const [name = '', ...more] = Object.keys(value);
  return more.length === 0 && (name === 'Ref' || name.startsWith('Fn::'));
};

/** The intrinsic functions that `resolve` knows, beside Fn::If. */
const functions: Record<string, (list: Json[], using: Resolver) => unknown> = {
  Ref: ([name], { text, ref }) => ref(text(name)),
  'Fn::Base64': ([plain], { text }) => Buffer.from(text(plain)).toString('base64'),
  'Fn::FindInMap': (names, { text, scope }) => {
    const [map = '', top = '', second = ''] = names.map(text);
    return scope.mappings[map]?.[top]?.[second];
  },
  'Fn::GetAtt': (list, { text, getAtt }) => {
    const [logicalId = '', ...attribute] =
      list.length > 1 ? list.map(text) : text(list[0]).split('.');
    return getAtt(logicalId, attribute.join('.'));
  },
  'Fn::GetAZs': () => ['a', 'b', 'c'].map((zone) => region() + zone),
  'Fn::GetStackOutput': ([output], { text, scope }) =>
    scope.exported(text((output as Record<string, Json>).OutputName)),
  'Fn::ImportValue': ([name], { text, scope }) => scope.exported(text(name)),
  'Fn::Join': ([separator, items], { text, plain }) =>
    (plain(items) as Json[]).map(text).join(text(separator)),
  'Fn::Select': ([index, items], { plain }) => (plain(items) as unknown[])[Number(plain(index))],
  'Fn::Split': ([separator, whole], { text }) => text(whole).split(text(separator)),
  'Fn::Sub': ([pattern, variables = {}], { text, ref, getAtt }) =>
    text(pattern).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, inner: string) => {
      const [logicalId = '', ...attribute] = inner.split('.');
      if (literal) return `\${${inner}}`;
      if (inner in (variables as object)) return text((variables as Record<string, Json>)[inner]);
      return `${attribute.length > 0 ? getAtt(logicalId, attribute.join('.')) : ref(inner)}`;
    }),
};

/** The names of the intrinsic functions that are resolved. */
export const intrinsicFunctions = [...Object.keys(functions), 'Fn::If'].sort();

type Resolver = {
  scope: Scope;
  plain(value: Json | undefined): unknown;
  text(value: Json | undefined): string;
  ref(name: string): unknown;
  getAtt(logicalId: string, attribute: string): unknown;
};

/**
 * Returns a value with its intrinsics resolved, undefined for AWS::NoValue. Throws if it cannot.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 */
export function resolve(value: Json, path: string, scope: Scope): unknown {
  const plain = (inner: Json | undefined) => resolve(inner ?? null, path, scope);
  const using: Resolver = {
    scope,
    plain,
    text(inner) {
      const result = plain(inner);
      return typeof result === 'object' || result === undefined
        ? refuse(path, JSON.stringify(inner))
        : String(result);
    },
    ref: (name) =>
      scope.parameters[name] ??
      refOf(name, source) ??
      refuse(path, name in scope.parameters ? `${name} without a default` : `Ref ${name}`),
    getAtt: (logicalId, attribute) =>
      attributeOf(logicalId, attribute, source) ??
      refuse(path, `Fn::GetAtt ${logicalId}.${attribute}`),
  };
  const source: ResourceSource = {
    typeOf: (logicalId) => scope.resources[logicalId]?.Type,
    property(logicalId, name) {
      try {
        return plain(scope.resources[logicalId]?.Properties?.[name]) ?? undefined;
      } catch {
        // What no answer depends on may use what the emulator does not know.
        return undefined;
      }
    },
  };

  if (Array.isArray(value)) return value.map(plain).filter((item) => item !== undefined);
  if (!value || typeof value !== 'object') return value;
  if (!isIntrinsic(value)) {
    const members = Object.entries(value).map(([key, inner]) => [key, plain(inner)]);
    return Object.fromEntries(members.filter(([, inner]) => inner !== undefined));
  }
  const [[name = '', argument = null] = []] = Object.entries(value);
  if (name === 'Fn::If') return resolve(chosen(argument, path, scope), path, scope);
  if (name === 'Ref' && argument === 'AWS::NoValue') return undefined;
  const list = Array.isArray(argument) ? argument : [argument];
  return functions[name]?.(list, using) ?? refuse(path, JSON.stringify(value));
}

/** Returns the branch of an Fn::If that its condition chooses. */
export function chosen(argument: Json, path: string, scope: Scope): Json {
  const [name, yes = null, no = null] = argument as Json[];
  return holds(`${name}`, path, scope) ? yes : no;
}

/** Evaluates a condition of the template. */
export function holds(name: string, path: string, scope: Scope): boolean {
  const evaluate = (value: Json | undefined): boolean => {
    const [[kind, argument = null] = []] = Object.entries(Object(value)) as [string, Json][];
    const list = Array.isArray(argument) ? argument : [];
    if (kind === 'Condition') return holds(`${argument}`, path, scope);
    if (kind === 'Fn::And') return list.every(evaluate);
    if (kind === 'Fn::Or') return list.some(evaluate);
    if (kind === 'Fn::Not') return !evaluate(list[0]);
    if (kind !== 'Fn::Equals') return refuse(path, `the condition ${name}`);
    const [a, b] = list.map((side) => JSON.stringify(resolve(side, path, scope)));
    return a === b;
  };
  return evaluate(scope.conditions[name]);
}
