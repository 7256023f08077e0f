import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { PlantStoreStack } from '../../lib/plant-store-stack.ts';
import { readSettings } from '../../lib/settings.ts';
import { temporaryFolder } from './cleanup.ts';

/** The function ids of the template, and their files in functions/. */
export const entries = {
  CreatePlant: 'create-plant',
  ListPlants: 'list-plants',
  DeletePlant: 'delete-plant',
  Authorizer: 'authorize',
} as const;
export type FunctionId = keyof typeof entries;

/** Synthesizes the stack with its bundles. Returns each function's folder of code. */
export function bundleFunctions(): Record<FunctionId, string> {
  const outdir = temporaryFolder();
  const app = new App({
    outdir,
    context: { 'aws:cdk:enable-asset-metadata': true },
    builtinCloudFormationValidation: false,
  });
  const stack = new PlantStoreStack(app, readSettings({}));
  const { Resources } = app.synth().getStackArtifact(stack.artifactId).template;
  const folders = Object.keys(entries).map((id) => [
    id,
    join(outdir, Resources[id].Metadata['aws:asset:path']),
  ]);
  return Object.fromEntries(folders);
}
