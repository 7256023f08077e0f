import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { transformSync } from 'esbuild';
import { bundle } from './bundle.ts';
import { withCreation } from './invalid-constructs.ts';
import { PlantStoreStack } from './plant-store-stack.ts';
import { readSettings } from './settings.ts';

/**
 * The CDK app with its one stack, as the settings in its context ask for it. Throws SettingsError.
 */
export function plantStoreApp(props?: AppProps, cdk = readCdkJson()): App {
  const app = new App(props);
  const settings = readSettings(app.node.getAllContext(), Object.keys(cdk));
  const stackName = settings.instance ? `PlantStore-${settings.instance}` : 'PlantStore';
  const bundles = join(app.outdir, 'bundles');
  bundle(bundles, settings['source-maps']);
  new PlantStoreStack(app, stackName, {
    settings,
    bundles,
    description: 'Plant Store: an API for plants, with bearer tokens',
  });
  return app;
}

/**
 * Synthesizes what `npx cdk synth` does, into the folder `outdir`, without the CDK's command line:
 * with the context of cdk.json, and on top of it `context`, which stands for its option `-c`.
 */
export function synthesize(outdir: string, context: Record<string, unknown> = {}): CloudAssembly {
  // `cdk synth` adds these itself.
  const added = { 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true };
  const cdk = readCdkJson();
  const props = {
    outdir,
    context: { ...added, ...cdk.context, ...context },
    // The rules take a second. `npx cdk synth` and `npx cdk deploy` apply them to what is deployed.
    builtinCloudFormationValidation: false,
  };
  const app = plantStoreApp(props, cdk);
  try {
    return app.synth();
  } catch (error) {
    throw withCreation(error, app, import.meta.filename);
  }
}

/**
 * Reads CDK's configuration, without a byte order mark, as CDK does. If it is not JSON, esbuild's
 * error names the place.
 */
function readCdkJson(): { context?: Record<string, unknown> } {
  const file = join(import.meta.dirname, '..', 'cdk.json');
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch (error) {
    transformSync(text, { loader: 'json', sourcefile: file, logLevel: 'silent' });
    throw error;
  }
}
