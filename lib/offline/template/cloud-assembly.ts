import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import type { Code } from './properties.ts';

export type Json = null | string | number | boolean | Json[] | { [key: string]: Json };
export interface Resource {
  Type: string;
  Properties?: Record<string, Json>;
  Condition?: string;
}

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

/** A part of an assembly, as its manifest names it. */
interface Artifact {
  type: string;
  properties?: { file: string; templateFile: string };
}

/** A folder or file that a deployment uploads. */
interface Asset {
  source: { path?: string };
  destinations: Record<string, { objectKey: string }>;
}

export interface CloudAssembly {
  stacks: Stack[];
  /** Returns the folder with the code of a function. */
  folderOf(functionName: string, code: Code): string;
}

/** Reads a cloud assembly, the folder that `cdk synth` writes. */
export function readAssembly(assembly: string): CloudAssembly {
  const read = (file: string) => JSON.parse(readFileSync(join(assembly, file), 'utf8'));
  const artifacts = Object.entries<Artifact>(read('manifest.json').artifacts);
  const stacks: Stack[] = [];
  const folders = new Map<string, string>();
  for (const [name, { type, properties }] of artifacts) {
    const { file = '', templateFile = '' } = properties ?? {};
    if (type === 'aws:cloudformation:stack') {
      stacks.push({ ...none, ...read(templateFile), name, file: join(assembly, templateFile) });
    }
    if (type === 'cdk:asset-manifest') {
      addFolders(Object.values<Asset>(read(file).files));
    }
  }

  function addFolders(assets: Asset[]): void {
    for (const { source, destinations } of assets) {
      for (const { objectKey } of Object.values(destinations)) {
        if (source.path) {
          folders.set(objectKey, resolvePath(assembly, source.path));
        }
      }
    }
  }

  function folderOf(functionName: string, { S3Key = '', ZipFile }: Code): string {
    const found = folders.get(S3Key);
    if (found) {
      return found;
    }
    if (ZipFile === undefined) {
      throw new Error(`The assembly has no asset ${S3Key}.`);
    }
    const inline = join(assembly, `inline.${functionName}`);
    mkdirSync(inline, { recursive: true });
    // CloudFormation writes such a file, which is CommonJS.
    writeFileSync(join(inline, 'index.js'), ZipFile);
    writeFileSync(join(inline, 'package.json'), '{"type":"commonjs"}');
    return inline;
  }
  return { stacks, folderOf };
}
