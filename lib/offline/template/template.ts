import { attempt } from '../attempt.ts';
import { type Json, type Resource, readAssembly, type Stack } from './cloud-assembly.ts';
import { holds, refuse, resolve, type Scope } from './intrinsics.ts';
import type { Properties } from './properties.ts';
import { ofType, readRequestPath } from './reachable-resources.ts';

export interface Template {
  /** The template's own file. */
  file: string;
  /** What of the template is not imitated, in words: resources by type, and properties. */
  leftOut: string[];
  /** Returns the resources of a type that a request can reach, by logical id. */
  of<Type extends keyof Properties>(type: Type): Map<string, Properties[Type]>;
  /** Returns the folder with the code of a function. */
  folder(functionName: string): string;
}

/** Those that change nothing but rotations and deployments, or add intrinsic functions. */
const harmlessTransforms = /^AWS::(CodeDeployBlueGreen|LanguageExtensions|SecretsManager-[\d-]+)$/;

/**
 * Reads the first stack of a cloud assembly that has a REST API. A `Ref` to a resource that the
 * emulator serves becomes its logical id. Tables and policies of all types count as one. Throws if
 * an answer could depend on a property that the emulator does not support.
 */
export function readTemplate(assembly: string): Template {
  const { stacks, folderOf } = readAssembly(assembly);
  const stack = stacks.find(({ Resources }) =>
    Object.values(Resources).some(({ Type }) => Type === 'AWS::ApiGateway::RestApi'),
  );
  if (!stack) {
    throw new Error(`The emulator runs a stack with a REST API; ${assembly} has none.`);
  }
  for (const transform of [stack.Transform ?? []].flat()) {
    if (!harmlessTransforms.test(`${transform}`)) {
      refuse('Transform', JSON.stringify(transform));
    }
  }

  const others: OtherStack[] = stacks
    .filter((other) => other !== stack)
    .map((other) => ({ ...other, scope: scopeOf(other, () => undefined) }));
  const imported = new Set<OtherStack>();
  function importValue(name: string): unknown {
    const output = findOutput(others, name);
    if (!output) {
      return undefined;
    }
    imported.add(output.stack);
    return resolve(output.value, output.path, output.stack.scope);
  }

  const { resources, leftOut } = readRequestPath(scopeOf(stack, importValue));
  // Another stack may have tables, but not functions that the API invokes.
  for (const { scope } of imported) {
    const path = readRequestPath(scope, true);
    for (const [logicalId, table] of path.resources) {
      resources.set(logicalId, table);
    }
    leftOut.push(...path.leftOut);
  }
  for (const [name, { Type, Default }] of Object.entries(stack.Parameters)) {
    if (/^AWS::SSM::/.test(Type) && !`${Default}`.startsWith('/cdk-bootstrap/')) {
      leftOut.push(`the value of the parameter ${name}, which is ${Default} here`);
    }
  }
  for (const other of others) {
    if (!imported.has(other)) {
      leftOut.push(`the stack ${other.name}`);
    }
  }

  const functions = ofType(resources, 'AWS::Lambda::Function');
  return {
    file: stack.file,
    leftOut,
    of: (type) => ofType(resources, type),
    folder: (name) => folderOf(name, functions.get(name)?.Code ?? {}),
  };
}

interface OtherStack extends Stack {
  scope: Scope;
}

interface FoundOutput {
  stack: OtherStack;
  /** The place in words. */
  path: string;
  value: Json;
}

/** Finds an output of other stacks by its logical name or the name that it is exported under. */
function findOutput(stacks: OtherStack[], name: string): FoundOutput | undefined {
  for (const stack of stacks) {
    for (const [id, { Export, Value }] of Object.entries(stack.Outputs)) {
      const path = `the output ${id}`;
      if (id === name || (Export && resolve(Export.Name, path, stack.scope) === name)) {
        return { stack, path, value: Value };
      }
    }
  }
  return undefined;
}

/** Returns what the intrinsics of a stack refer to: parameters by their defaults. */
function scopeOf(stack: Stack, exported: Scope['exported']): Scope {
  const parameters = Object.entries(stack.Parameters).map(([name, { Type, Default }]) => {
    if (/List(<|$)/.test(Type)) {
      return [name, `${Default}`.split(/\s*,\s*/)];
    }
    return [name, Type === 'Number' && Default !== undefined ? Number(Default) : Default];
  });
  const scope: Scope = { ...stack, exported, parameters: Object.fromEntries(parameters) };
  // What no answer depends on may have a condition that cannot be evaluated.
  const exists = ([, { Condition }]: [string, Resource]) =>
    Condition === undefined || (attempt(() => holds(Condition, '', scope)) ?? true);
  const Resources = Object.fromEntries(Object.entries(stack.Resources).filter(exists));
  return { ...scope, Resources };
}
