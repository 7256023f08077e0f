// Synthesizes the stack with each group of settings in test/stack/settings.json, without bundles,
// into a folder. Runs bin/plant-store.ts as the CDK CLI does, in one process.
import { join } from 'node:path';
import cdk from '../../cdk.json' with { type: 'json' };
import groups from '../../test/stack/settings.json' with { type: 'json' };

const [folder] = process.argv.slice(2);
for (const [group, settings] of Object.entries(groups)) {
  const context = { ...cdk.context, 'aws:cdk:bundling-stacks': [] };
  for (const [name, value] of Object.entries(settings)) {
    context[`plant-store:${name}`] = value;
  }
  process.env.CDK_OUTDIR = join(folder, group);
  process.env.CDK_CONTEXT_JSON = JSON.stringify(context);
  // The program runs once for each name. CDK synthesizes all of its apps before the process exits.
  await import(`../../bin/plant-store.ts?${group}`);
}
