import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { buildOptions } from '../lib/bundle.ts';
import { endOnClosedOutput } from './command-line/closed-output.ts';

interface LockedPackage {
  version: string;
  license: string;
  integrity: string;
}

/** A package, in the words of CycloneDX. */
interface Component {
  type: 'library';
  'bom-ref': string;
  purl: string;
  /** The scope of its name. */
  group?: string;
  name: string;
  version: string;
  licenses: [{ expression: string }];
  hashes: [{ alg: 'SHA-512'; content: string }];
}

interface BillOfMaterials {
  bomFormat: 'CycloneDX';
  specVersion: string;
  version: number;
  metadata: { component: { type: 'application'; name: string; version: string } };
  components: Component[];
}

/**
 * Returns the software bill of materials (CycloneDX 1.6) of the deployed functions: the packages
 * of which esbuild took code into a bundle, as package-lock.json has them.
 */
export function sbom(): BillOfMaterials {
  const lock: { name: string; version: string; packages: Record<string, LockedPackage> } =
    JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'));
  const { metafile } = buildSync(buildOptions());
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : []));
  // A package's folder is its key in package-lock.json.
  const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
  const folders = new Set(files.flatMap((file) => packageFolder.exec(file)?.[0] ?? []));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: lock.name, version: lock.version } },
    components: [...folders].sort().map((folder) => componentOf(folder, lock.packages[folder])),
  };
}

function componentOf(folder: string, locked: LockedPackage | undefined): Component {
  if (!locked) {
    throw new Error(
      `package-lock.json has no ${folder}, of which a bundle has code. Run "npm install".`,
    );
  }
  const { version, license, integrity } = locked;
  const fullName = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const [name = '', group] = fullName.split('/').reverse();
  const content = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  const purl = `pkg:npm/${fullName.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    purl,
    ...(group && { group }),
    name,
    version,
    licenses: [{ expression: license }],
    hashes: [{ alg: 'SHA-512', content }],
  };
}

if (import.meta.main) {
  endOnClosedOutput();
  console.log(JSON.stringify(sbom(), null, 2));
}
