import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdk from '../../cdk.json' with { type: 'json' };
import { PlantStoreStack } from '../../lib/plant-store-stack.ts';
import { readSettings, settingPrefix } from '../../lib/settings.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import settings from './settings.json' with { type: 'json' };

/** The names of the settings that stacks have read. */
export const settingsRead = new Set<string | symbol>();

/** Synthesizes the stack with these settings only. Bundles no function. */
function synthesize(chosen: Record<string, string>): Template {
  // The feature flags of cdk.json, without a deployer's settings.
  const flags = Object.entries(cdk.context).filter(([key]) => !key.startsWith(settingPrefix));
  const ours = Object.entries(chosen).map(([name, value]) => [`${settingPrefix}${name}`, value]);
  const app = new App({
    outdir: temporaryFolder(),
    context: {
      ...Object.fromEntries([...flags, ...ours]),
      'aws:cdk:bundling-stacks': [],
      // As the CDK CLI does.
      'aws:cdk:enable-path-metadata': true,
    },
    // CDK's rules take a second. `npx cdk synth` applies them.
    builtinCloudFormationValidation: false,
  });
  const settings = new Proxy(readSettings(app.node.getAllContext()), {
    get(target, name, receiver) {
      settingsRead.add(name);
      return Reflect.get(target, name, receiver);
    },
  });
  return Template.fromStack(new PlantStoreStack(app, settings));
}

/** The template with each group of settings. */
export const templates = {
  default: synthesize(settings.default),
  everything: synthesize(settings.everything),
  throwaway: synthesize(settings.throwaway),
};

export const findProperties = (template: Template, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

export const ref = (id: string | undefined) => ({ Ref: id });
export const getAttribute = (id: string, attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });

/** Returns a text of a template, with the name of each reference in its place. */
export const renderText = (
  text: string | { 'Fn::Join': [string, (string | { Ref: string })[]] },
) =>
  typeof text === 'string'
    ? text
    : text['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : part.Ref)).join('');
