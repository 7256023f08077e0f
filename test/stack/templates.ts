import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cdk from '../../cdk.json' with { type: 'json' };
import { operationNames } from '../../functions/shared/operations.ts';
import { assemble } from '../../lib/assembly/assembly.ts';
import { functionOf } from '../../lib/bundle.ts';
import { readTemplate } from '../../lib/emulator/template/template.ts';
import { settingNames } from '../../lib/settings.ts';
import chosenSettings from './settings.json' with { type: 'json' };

export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a wrong path into this JSON fails the test.
  Properties: any;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

export interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}

/** Ways to deploy. The tests look at their templates, .ci/templates/run at their findings. */
export const settings = chosenSettings;

/** Returns the CDK context of the stack that has no settings but these. */
export const contextWith = (chosen: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    settingNames
      .map((name): [string, unknown] => [`plant-store:${name}`, chosen[name]])
      // Undefined hides what cdk.json has, so that the tests pass whatever a deployer sets there. A
      // setting that neither has is left out, because an assembly is kept by its context.
      .filter(([key, value]) => value !== undefined || key in cdk.context),
  );

/** Calls a function with the folder of the assembly of the stack with these settings. */
async function withAssembly<T>(
  chosen: Record<string, string>,
  use: (assembly: string) => T,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  try {
    await assemble(folder, contextWith(chosen));
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const plantFunctions = operationNames.map(functionOf);
export const functionNames = [...plantFunctions, 'Authorizer'];

/** Returns the template of the stack with these settings. */
export const templateWith = (chosen: Record<string, string>): Promise<Template> =>
  withAssembly(chosen, (assembly) => JSON.parse(readFileSync(readTemplate(assembly).file, 'utf8')));

/** Returns what the emulator reads of the stack with these settings. */
export const emulatorTemplateWith = (chosen: Record<string, string>) =>
  withAssembly(chosen, readTemplate);

export function resource(template: Template, logicalId: string): Resource {
  const found = template.Resources[logicalId];
  if (!found) throw new Error(`The template has no ${logicalId}.`);
  return found;
}

/** Returns the table that a function's role names, and the actions on it that the role allows. */
export function accessOf(template: Template, name: string): string {
  const role = resource(template, name).Properties.Role['Fn::GetAtt'][0];
  return propertiesOf(template, 'AWS::IAM::Policy')
    .filter(({ Roles }) => Roles.some(({ Ref }: { Ref: string }) => Ref === role))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map(({ Action, Resource }) => ({ actions: [Action].flat().sort(), Resource }))
    .filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')))
    .map(({ actions, Resource }) => `${Resource['Fn::GetAtt'][0]} ${actions.join(' ')}`)
    .join('; ')
    .replaceAll('dynamodb:', '');
}

/** The resources of a type, by logical id. */
export const ofType = (template: Template, type: string): Record<string, Resource> =>
  Object.fromEntries(
    Object.entries(template.Resources).filter(([, resource]) => resource.Type === type),
  );

export const propertiesOf = (template: Template, type: string) =>
  Object.values(ofType(template, type)).map(({ Properties }) => Properties);
