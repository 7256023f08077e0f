import { join } from 'node:path';
import { App, Stage } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import cdk from '../../cdk.json' with { type: 'json' };
import { bundle } from '../../lib/bundle.ts';
import { PlantStoreStack } from '../../lib/plant-store-stack.ts';
import { readSettings } from '../../lib/settings.ts';
import { additions } from './additions.ts';

/** Writes an assembly for the stack with each addition: `outdir/assembly-Addition0` and so on. */
export function synthesize(outdir: string): void {
  const bundles = join(outdir, 'bundles');
  bundle(bundles);
  const { context } = cdk;
  const options = { analyticsReporting: false, builtinCloudFormationValidation: false };
  const app = new App({ outdir, context, ...options });
  const settings = readSettings(app.node.getAllContext());
  for (const [i, add] of [() => {}, ...Object.values(additions)].entries()) {
    // Each in a stage, which has an assembly of its own and shares the bundles.
    const stage = new Stage(app, `Addition${i}`);
    const stack = new PlantStoreStack(stage, 'PlantStore', { settings, bundles });
    add({
      stack,
      create: stack.node.findChild('CreatePlant') as LambdaFunction,
      plants: stack.node.findChild('Tables').node.findChild('Plants') as TableV2,
      rest: stack.node.findChild('RestApi').node.findChild('Rest') as RestApi,
    });
  }
  app.synth();
}
