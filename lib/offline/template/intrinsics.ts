import { attempt } from '../attempt.ts';
import type { Json, Stack } from './cloud-assembly.ts';
import {
  attributeOf,
  type NamedResource,
  pseudoParameters,
  referenceTo,
  region,
} from './resource-values.ts';

/** What the intrinsics of a template refer to. */
export interface Scope extends Pick<Stack, 'Conditions' | 'Mappings' | 'Resources'> {
  /** The values of the parameters. */
  parameters: Record<string, unknown>;
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
export const isIntrinsic = (value: object): boolean => {
  const [name = '', ...more] = Object.keys(value);
  return more.length === 0 && (name === 'Ref' || name.startsWith('Fn::'));
};

interface Intrinsics {
  functions: Record<string, (list: Json[]) => unknown>;
  /** Resolves the intrinsics of a value. Returns undefined for AWS::NoValue. */
  plain(value: Json | undefined): unknown;
}

/**
 * Returns the intrinsic functions that are resolved, beside Fn::If, and what resolves a value.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 */
export function intrinsics(path: string, scope: Scope): Intrinsics {
  const resourceOf = (logicalId: string): NamedResource | undefined => {
    const resource = scope.Resources[logicalId];
    if (!resource) {
      return undefined;
    }
    const { Type: type, Properties = {} } = resource;
    // A property that no answer depends on may use an intrinsic that the emulator does not know.
    const property = (name: string) => attempt(() => plain(Properties[name])) ?? undefined;
    return { logicalId, type, property };
  };
  const text = (value: Json | undefined): string => {
    const result = plain(value) ?? {};
    return typeof result === 'object' ? refuse(path, JSON.stringify(value)) : String(result);
  };
  // An attribute that is a list on AWS is one text here.
  const items = (value: Json | undefined) => [plain(value)].flat() as Json[];
  /** Resolves `Name`, as Ref does, or `Name.Attribute`, as Fn::GetAtt does. */
  const refer = (name: string): unknown => {
    const [logicalId = '', ...attribute] = name.split('.');
    const resource = resourceOf(logicalId);
    if (resource) {
      return attribute.length === 0
        ? referenceTo(resource)
        : attributeOf(resource, attribute.join('.'));
    }
    const found = scope.parameters[name] ?? pseudoParameters()[name];
    if (found !== undefined && found !== null) {
      return found;
    }
    const isParameter = name in scope.parameters;
    return refuse(path, isParameter ? `${name} without a default` : `a reference to ${name}`);
  };

  const functions: Intrinsics['functions'] = {
    Ref: ([name]) => refer(text(name)),
    'Fn::Base64': ([plainText]) => Buffer.from(text(plainText)).toString('base64'),
    'Fn::FindInMap': ([map, top, second, more]) =>
      scope.Mappings[text(map)]?.[text(top)]?.[text(second)] ?? plain(Object(more).DefaultValue),
    'Fn::GetAtt': (list) => refer(list.map(text).join('.')),
    'Fn::GetAZs': () => ['a', 'b', 'c'].map((zone) => region() + zone),
    'Fn::GetStackOutput': ([output]) => scope.exported(text(Object(output).OutputName)),
    'Fn::ImportValue': ([name]) => scope.exported(text(name)),
    'Fn::Join': ([separator, list]) => items(list).map(text).join(text(separator)),
    'Fn::Select': ([index, list]) => items(list)[Number(plain(index))],
    'Fn::Split': ([separator, whole]) => text(whole).split(text(separator)),
    'Fn::Sub': ([pattern, variables]) =>
      text(pattern).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
        if (literal) {
          return `\${${name}}`;
        }
        const given: Record<string, Json> = Object(variables);
        return name in given ? text(given[name]) : `${refer(name)}`;
      }),
  };

  function plain(value: Json | undefined): unknown {
    if (value === undefined || value === null) {
      return null;
    }
    if (typeof value !== 'object') {
      return value;
    }
    if (Array.isArray(value)) {
      return value.map(plain).filter((item) => item !== undefined);
    }
    if (isIntrinsic(value)) {
      return call(value);
    }
    const members = Object.entries(value).map(([name, member]) => [name, plain(member)]);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }

  /** Calls an intrinsic function, whose name is the only member of the value. */
  function call(value: Record<string, Json>): unknown {
    const branch = branchOf(value, path, scope);
    if (branch === undefined) {
      return undefined;
    }
    if (branch !== value) {
      return plain(branch);
    }
    const [name = ''] = Object.keys(value);
    const list = [value[name] ?? null].flat();
    return functions[name]?.(list) ?? refuse(path, JSON.stringify(value));
  }
  return { functions, plain };
}

/** Resolves the intrinsics of a value. Returns undefined for AWS::NoValue. Throws if it cannot. */
export const resolve = (value: Json | undefined, path: string, scope: Scope): unknown =>
  intrinsics(path, scope).plain(value);

/** Returns the branch that an Fn::If chooses, undefined for AWS::NoValue, or else the value. */
export function branchOf(value: Json, path: string, scope: Scope): Json | undefined {
  const { 'Fn::If': choice, Ref: name } = Object(value) as Record<string, Json>;
  if (name === 'AWS::NoValue') {
    return undefined;
  }
  if (choice === undefined) {
    return value;
  }
  const [condition, yes = null, no = null] = choice as Json[];
  return branchOf(holds(`${condition}`, path, scope) ? yes : no, path, scope);
}

/** Evaluates a condition of the template. */
export function holds(name: string, path: string, scope: Scope): boolean {
  const evaluate = (value: Json | undefined): boolean => {
    const condition: Record<string, Json> = Object(value);
    const [kind = ''] = Object.keys(condition);
    const argument = condition[kind];
    const list = Array.isArray(argument) ? argument : [];
    switch (kind) {
      case 'Condition':
        return holds(`${argument}`, path, scope);
      case 'Fn::And':
        return list.every(evaluate);
      case 'Fn::Or':
        return list.some(evaluate);
      case 'Fn::Not':
        return !evaluate(list[0]);
      case 'Fn::Equals': {
        const [one, other] = list.map((side) => JSON.stringify(resolve(side, path, scope)));
        return one === other;
      }
      default:
        return refuse(path, `the condition ${name}`);
    }
  };
  return evaluate(scope.Conditions[name]);
}
