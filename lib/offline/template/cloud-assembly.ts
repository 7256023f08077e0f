import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import type { Code } from './properties.ts';

export type Json = null | string | number | boolean | Json[] | { [key: string]: Json };
export type Resource = { Type: string; Properties?: Record<string, Json>; Condition?: string };

/** A stack of a cloud assembly, with the parts of its template that the emulator reads. */
export interface Stack {
  name: string;
  /** The template's own file. */
  file: string;
  Conditions: Record<string, Json>;
  Mappings: Record<string, Record<string, Record<string, Json>>>;
  Outputs: Record<string, { Value: Json; Export?: { Name: Json } }>;
  Parameters: Record<string, { Type: string; Default?: string | number }>;
  Resources: Record<string, Resource>;
  Transform: Json;
}
const none = { Conditions: {}, Mappings: {}, Outputs: {}, Parameters: {}, Resources: {} };

/** Reads a cloud assembly, the folder that `cdk synth` writes. */
export function readAssembly(assembly: string) {
  const read = (file: string) => JSON.parse(readFileSync(join(assembly, file), 'utf8'));
  type Artifact = { type: string; properties?: { file: string; templateFile: string } };
  type Asset = { source: { path?: string }; destinations: Record<string, { objectKey: string }> };
  const stacks: Stack[] = [];
  const folders = new Map<string, string>();
  for (const [name, artifact] of Object.entries<Artifact>(read('manifest.json').artifacts)) {
    const { file = '', templateFile = '' } = artifact.properties ?? {};
    if (artifact.type === 'aws:cloudformation:stack')
      stacks.push({ ...none, ...read(templateFile), name, file: join(assembly, templateFile) });
    if (artifact.type !== 'cdk:asset-manifest') continue;
    for (const { source, destinations } of Object.values<Asset>(read(file).files))
      for (const { objectKey } of Object.values(destinations))
        if (source.path) folders.set(objectKey, resolvePath(assembly, source.path));
  }

  /** Returns the folder with the code of a function. */
  function folderOf(functionName: string, { S3Key = '', ZipFile }: Code): string {
    const found = folders.get(S3Key);
    if (found) return found;
    if (ZipFile === undefined) throw new Error(`The assembly has no asset ${S3Key}.`);
    const inline = join(assembly, `inline.${functionName}`);
    mkdirSync(inline, { recursive: true });
    // CloudFormation writes such a file, which is CommonJS.
    writeFileSync(join(inline, 'index.js'), ZipFile);
    writeFileSync(join(inline, 'package.json'), '{"type":"commonjs"}');
    return inline;
  }
  return { stacks, folderOf };
}
