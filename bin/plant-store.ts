import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { SettingsError } from '../lib/settings.ts';
import { plantStoreApp } from '../lib/synthesize.ts';

try {
  const app = plantStoreApp();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
