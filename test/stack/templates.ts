import { App } from 'aws-cdk-lib';
import cdk from '../../cdk.json' with { type: 'json' };
import { PlantStoreStack } from '../../lib/plant-store-stack.ts';
import { readSettings, settingPrefix } from '../../lib/settings.ts';
import { temporaryFolder } from '../support/cleanup.ts';
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

/** Ways to deploy. The tests look at their templates, .ci/steps/templates at their findings. */
export const settings = chosenSettings;

/** Synthesizes the stack that has no settings but these. Nothing is bundled for it. */
function synthesize(chosen: Record<string, string>): Template {
  // The feature flags, whatever a deployer has set beside them.
  const flags = Object.entries(cdk.context).filter(([key]) => !key.startsWith(settingPrefix));
  const ours = Object.entries(chosen).map(([name, value]) => [`${settingPrefix}${name}`, value]);
  const app = new App({
    outdir: temporaryFolder(),
    context: { ...Object.fromEntries([...flags, ...ours]), 'aws:cdk:bundling-stacks': [] },
    // CDK's rules take a second. `npx cdk synth` applies them.
    builtinCloudFormationValidation: false,
  });
  const stack = new PlantStoreStack(app, readSettings(app.node.getAllContext()));
  return app.synth().getStackArtifact(stack.artifactId).template;
}

/** The template with each group of settings. */
export const templates = Object.fromEntries(
  Object.entries(settings).map(([name, chosen]) => [name, synthesize(chosen)]),
) as Record<keyof typeof settings, Template>;

/** The resources of a type, by logical id. */
export const ofType = (template: Template, type: string): Record<string, Resource> =>
  Object.fromEntries(
    Object.entries(template.Resources).filter(([, resource]) => resource.Type === type),
  );

export const idsOf = (template: Template, type: string): string[] =>
  Object.keys(ofType(template, type));

export const propertiesOf = (template: Template, type: string) =>
  Object.values(ofType(template, type)).map(({ Properties }) => Properties);

export function resource(template: Template, logicalId: string): Resource {
  const found = template.Resources[logicalId];
  if (!found) {
    throw new Error(`The template has no ${logicalId}.`);
  }
  return found;
}

export const ref = (id: string | undefined) => ({ Ref: id });
export const attributeOf = (id: string, attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });

/** What the policies of a function's role allow. */
export function statementsOf(template: Template, functionId: string) {
  const [role] = resource(template, functionId).Properties.Role['Fn::GetAtt'];
  return propertiesOf(template, 'AWS::IAM::Policy')
    .filter(({ Roles }) => Roles.some(({ Ref }: { Ref: string }) => Ref === role))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}
