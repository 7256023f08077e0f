import { delimiter, join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { authorizer, type Operation, operations } from '../../functions/shared/operations.ts';
import { PlantStoreStack } from '../../lib/stack/plant-store-stack.ts';
import { readSettings } from '../../lib/stack/settings.ts';
import { temporaryFolder } from './cleanup.ts';

/** A function's logical id in the template: the name of its operation with a capital. */
export type FunctionId = Capitalize<Operation> | 'Authorizer';

/** The files of the functions in functions/, without `.ts`. */
export const entries = Object.fromEntries(
  Object.entries({ ...operations, authorizer }).map(([name, { entry }]) => [
    name.charAt(0).toUpperCase() + name.slice(1),
    entry,
  ]),
) as Record<FunctionId, string>;

/** Synthesizes the stack with its bundles. Returns each function's folder of code. */
export function bundleFunctions(): Record<FunctionId, string> {
  // CDK runs esbuild by npx, which takes longer than esbuild. Windows does not find this one.
  process.env.PATH = [join(import.meta.dirname, 'npx'), process.env.PATH].join(delimiter);
  // A folder of `--output` can have a blank.
  const outdir = join(temporaryFolder(), 'cdk out');
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
