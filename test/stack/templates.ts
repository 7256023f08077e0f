import { App } from 'aws-cdk-lib';
import cdk from '../../cdk.json' with { type: 'json' };
import { PlantStoreStack } from '../../lib/stack/plant-store-stack.ts';
import { readSettings, settingPrefix } from '../../lib/stack/settings.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import settings from './settings.json' with { type: 'json' };

type Json = ReturnType<typeof JSON.parse>;

export interface Template {
  /** By logical id. */
  Resources: Record<string, Json>;
}

/** The names of the settings that stacks have read. */
export const settingsRead = new Set<string | symbol>();

/** Synthesizes the stack with these settings only. Bundles no function. */
export function synthesize(chosen: Record<string, string>): Template {
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
      // Both take a fifth of the time, and are no part of a template.
      'aws:cdk:disable-stack-trace': true,
    },
    treeMetadata: false,
    // CDK's rules take a second. `npx cdk synth` applies them.
    builtinCloudFormationValidation: false,
  });
  const settings = new Proxy(readSettings(app.node.getAllContext()), {
    get(target, name, receiver) {
      settingsRead.add(name);
      return Reflect.get(target, name, receiver);
    },
  });
  const { artifactId } = new PlantStoreStack(app, settings);
  return app.synth().getStackArtifact(artifactId).template;
}

/** The template with each group of settings. */
export const templates = {
  default: synthesize(settings.default),
  everything: synthesize(settings.everything),
  throwaway: synthesize(settings.throwaway),
};

export const findProperties = ({ Resources }: Template, type: string): Json[] =>
  Object.values(Resources)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);
