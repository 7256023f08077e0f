import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../../lib/synthesize.ts';
import chosenSettings from './settings.json' with { type: 'json' };

export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON, and a wrong path into it fails the test.
  Properties: any;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

export interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}

/** Three ways to deploy. The tests look at their templates, .ci/templates at their findings. */
export const settings = chosenSettings;

/** The template of the stack with these settings. */
export function templateWith(chosen: Record<string, string>): Template {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  try {
    const context = Object.fromEntries(
      Object.entries(chosen).map(([name, value]) => [`plant-store:${name}`, value]),
    );
    return synthesize(folder, context).stacks[0]?.template;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function resource(template: Template, logicalId: string): Resource {
  const found = template.Resources[logicalId];
  if (!found) throw new Error(`The template has no ${logicalId}.`);
  return found;
}

/** The resources of a type, by logical id. */
export const ofType = (template: Template, type: string): Record<string, Resource> =>
  Object.fromEntries(
    Object.entries(template.Resources).filter(([, resource]) => resource.Type === type),
  );

export const propertiesOf = (template: Template, type: string) =>
  Object.values(ofType(template, type)).map(({ Properties }) => Properties);
