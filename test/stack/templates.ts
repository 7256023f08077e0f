import { readFileSync } from 'node:fs';
import cdk from '../../cdk.json' with { type: 'json' };
import { operationNames } from '../../functions/shared/operations.ts';
import { functionOf } from '../../lib/bundle.ts';
import { assemble } from '../../lib/offline/assembly.ts';
import { readTemplate } from '../../lib/offline/template/template.ts';
import { settingNames } from '../../lib/settings.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import chosenSettings from './settings.json' with { type: 'json' };

export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a wrong path into this JSON fails the test.
  Properties: any;
  Metadata?: Record<string, unknown>;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

export interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}

/** Ways to deploy. The tests look at their templates, .ci/steps/templates at their findings. */
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

export const plantFunctions = operationNames.map(functionOf);
export const functionNames = [...plantFunctions, 'Authorizer'];

/** Returns the template of the stack with these settings. Throws if the emulator cannot run it. */
export async function templateWith(chosen: Record<string, string>): Promise<Template> {
  const assembly = temporaryFolder();
  await assemble(assembly, contextWith(chosen));
  return JSON.parse(readFileSync(readTemplate(assembly).file, 'utf8'));
}

/** Returns the template with each group of settings. */
export async function allTemplates(): Promise<Record<keyof typeof settings, Template>> {
  const made = Object.entries(settings).map(async ([name, chosen]) => [
    name,
    await templateWith(chosen),
  ]);
  return Object.fromEntries(await Promise.all(made));
}

/** The constructs of the stack that serve and watch requests. */
const ownConstructs = new Set([
  'RestApi',
  'Tables',
  'Monitoring',
  'Budget',
  'Domain',
  'Certificate',
  'Record',
  'RecordForIPv6',
  ...functionNames.flatMap((name) => [name, `${name}Resources`]),
]);

/** Returns a template without what somebody adds beside the requests, such as a queue. */
export function ownPartOf(template: Template): Template {
  const isOwn = ([, { Metadata = {} }]: [string, Resource]) => {
    const [, construct = ''] = `${Metadata['aws:cdk:path']}`.split('/');
    return ownConstructs.has(construct);
  };
  const Resources = Object.fromEntries(Object.entries(template.Resources).filter(isOwn));
  return { ...template, Resources };
}

export const idsOf = (template: Template, type: string) => Object.keys(ofType(template, type));
export const ref = (id: string | undefined) => ({ Ref: id });
export const attributeOf = (id: string, attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });

export function resource(template: Template, logicalId: string): Resource {
  const found = template.Resources[logicalId];
  if (!found) {
    throw new Error(`The template has no ${logicalId}.`);
  }
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
