import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import cdk from '../cdk.json' with { type: 'json' };
import { PlantStoreStack } from '../lib/stack/plant-store-stack.ts';
import { readSettings, SettingsError } from '../lib/stack/settings.ts';

try {
  const app = new App();
  const settings = readSettings(app.node.getAllContext(), Object.keys(cdk));
  new PlantStoreStack(app, settings);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
} catch (error) {
  if (!(error instanceof SettingsError)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 1;
}
