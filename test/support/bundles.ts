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

interface Bundle {
  /** The folder of the code. */
  folder: string;
  /** The template's environment variables. The local table names are the tables' logical ids. */
  variables: Record<string, string>;
}

/** Synthesizes the stack with its bundles. */
export function bundleFunctions(): Record<FunctionId, Bundle> {
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
  const bundles = Object.keys(entries).map((id) => {
    const { Metadata, Properties } = Resources[id];
    const variables = Object.entries<string | { Ref: string }>(Properties.Environment.Variables);
    const resolved = variables.map(([name, value]) => [name, Object(value).Ref ?? value]);
    const folder = join(outdir, Metadata['aws:asset:path']);
    return [id, { folder, variables: Object.fromEntries(resolved) }];
  });
  return Object.fromEntries(bundles);
}
