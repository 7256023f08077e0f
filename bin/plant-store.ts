import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { plantStoreApp } from '../lib/synthesize.ts';

// Otherwise CDK's own frames would push ours out of the stack.
Error.stackTraceLimit = 100;
try {
  const app = plantStoreApp();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
