import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { bundle } from '../../lib/bundle.ts';
import { PlantStoreStack } from '../../lib/plant-store-stack.ts';
import { readSettings } from '../../lib/settings.ts';
import { root } from '../support/project.ts';
import { additions } from './additions.ts';

/** Writes an assembly for the stack with each addition: into `folder/0` and so on. */
export function synthesize(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const bundles = join(folder, 'bundles');
  bundle(bundles);
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  for (const [i, add] of [() => {}, ...Object.values(additions)].entries()) {
    const app = new App({
      outdir: join(folder, `${i}`),
      context,
      analyticsReporting: false,
      builtinCloudFormationValidation: false,
    });
    const settings = readSettings(app.node.getAllContext());
    const stack = new PlantStoreStack(app, 'PlantStore', { settings, bundles });
    add({
      stack,
      create: stack.node.findChild('CreatePlant') as LambdaFunction,
      plants: stack.node.findChild('Tables').node.findChild('Plants') as TableV2,
      rest: stack.node.findChild('RestApi').node.findChild('Rest') as RestApi,
    });
    app.synth();
  }
}
