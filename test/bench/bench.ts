import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type BuildOptions, buildSync } from 'esbuild';
import {
  authorizer as authorizerRow,
  type Operation,
  operations,
} from '../../functions/shared/operations.ts';
import { listen } from '../../lib/local/listen.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { certificateFiles } from '../support/certificate.ts';
import { root } from '../support/checkout.ts';
import { makePlant } from '../support/plant.ts';
import { operationEvent } from '../support/service/operation-event.ts';
import { tokenEvent } from '../support/service/proxy-event.ts';

// Measures the CPU time of each function, and of a bare command handler with the same SDK. Each
// measurement is a new process with Lambda's flags. The database responds at once. Prints ratios,
// which are the same on any machine, and stores nothing.
//   npm run bench -- [--rounds 13] [--beside ASSEMBLY]
// For the assembly of an earlier version, run `npx cdk synth --output ASSEMBLY` in its folder.

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '13' }, beside: { type: 'string' } },
});

/** Lambda's flags for Node with 512 MB: 5% of it for young objects, 90% for old ones. */
const lambdaFlags = [
  '--max-http-header-size=81920',
  '--max-semi-space-size=25',
  '--max-old-space-size=460',
];

const token = forge('caller000000');
const authorizer = { owner: 'caller' };
/** The functions, and a list of 1,000 plants. */
const cases: Record<string, { entry: string; event: object }> = {
  ...Object.fromEntries(
    Object.entries(operations).map(([name, { entry }]) => [
      name,
      { entry, event: operationEvent(name as Operation, { authorizer }) },
    ]),
  ),
  'listPlants, 1000 plants': {
    entry: operations.listPlants.entry,
    event: operationEvent('listPlants', { authorizer: { owner: 'thousand' } }),
  },
  authorizer: { entry: authorizerRow.entry, event: tokenEvent(`Bearer ${token}`) },
};

interface Candidate {
  of: string;
  build: 'ours' | 'raw' | 'CDK default' | 'beside';
  file: string;
}

/** CPU times in µs. */
type Figures = Record<'start' | 'first' | 'later', number>;

/** Bundles the bare command handler of a function. Returns its path. */
function bundleRaw(folder: string, entry: string, name: string, options: BuildOptions): string {
  const outfile = join(folder, `${name}-${entry}.cjs`);
  buildSync({
    entryPoints: [join(import.meta.dirname, 'raw.mjs')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    minify: true,
    define: { 'process.env.OPERATION': JSON.stringify(entry) },
    ...options,
  });
  return outfile;
}

/** The build of `raw`. Do not change it together with the stack's build, which it measures. */
const slim: BuildOptions = {
  mainFields: ['module', 'main'],
  supported: { 'dynamic-import': false },
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'credentials.mjs'),
  },
};

/** Returns the path of a function's entry file in an assembly. */
function findBundle(assembly: string, of: string): string {
  const template = readFileSync(join(assembly, 'PlantStore.template.json'), 'utf8');
  const [name = ''] = of.split(',');
  const id = name.charAt(0).toUpperCase() + name.slice(1);
  const { 'aws:asset:path': asset } = JSON.parse(template).Resources[id].Metadata;
  return join(assembly, asset, 'start.mjs');
}

function buildCandidates(folder: string): Candidate[] {
  const assembly = join(folder, 'assembly');
  execFileSync('npx', ['cdk', 'synth', '--quiet', '--output', assembly], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const candidates: Candidate[] = [];
  for (const [of, { entry }] of Object.entries(cases)) {
    candidates.push({ of, build: 'ours', file: findBundle(assembly, of) });
    candidates.push({ of, build: 'raw', file: bundleRaw(folder, entry, 'raw', slim) });
    candidates.push({ of, build: 'CDK default', file: bundleRaw(folder, entry, 'default', {}) });
    if (values.beside) {
      candidates.push({ of, build: 'beside', file: findBundle(values.beside, of) });
    }
  }
  return candidates;
}

const makeStored = (id: number) => marshall(makePlant(BigInt(id), `Monstera deliciosa ${id}`));
const page = (length: number) => ({
  Items: Array.from({ length }, (_, id) => makeStored(id)),
  Count: length,
});
const record = {
  id: { S: splitToken(token).id },
  digest: { B: createHash('sha256').update(token).digest('base64') },
  owner: { S: 'caller' },
  scopes: { L: [{ S: 'plants:read' }, { S: 'plants:write' }] },
  label: { S: '' },
  created: { N: '1600000000' },
};
const responses: Record<string, string> = {
  PutItem: '{}',
  DeleteItem: JSON.stringify({ Attributes: makeStored(1) }),
  GetItem: JSON.stringify({ Item: record }),
  Query: JSON.stringify(page(10)),
};
const thousand = JSON.stringify(page(1000));

/** Starts a database with TLS that responds to every command at once. */
async function startDatabase(key: string, certificate: string): Promise<string> {
  const tls = { key: readFileSync(key), cert: readFileSync(certificate), keepAliveTimeout: 60_000 };
  const server = createServer(tls, async (request, response) => {
    const sent = await text(request);
    const command = `${request.headers['x-amz-target']}`.split('.')[1] ?? '';
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end(sent.includes('thousand') ? thousand : responses[command]);
  });
  server.unref();
  return (await listen(server, 0)).replace('http:', 'https:');
}

/** Runs a candidate in a new process. */
async function measure({ of, file }: Candidate, variables: NodeJS.ProcessEnv): Promise<Figures> {
  const program = join(import.meta.dirname, 'measure.mjs');
  const input = JSON.stringify({ file: pathToFileURL(file).href, event: cases[of]?.event });
  const args = [...lambdaFlags, program, input];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: variables });
  return JSON.parse(stdout);
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
try {
  const candidates = buildCandidates(folder);
  const { key, certificate } = certificateFiles;
  const endpoint = await startDatabase(key, certificate);
  const variables = { ...functionVariables(endpoint), NODE_EXTRA_CA_CERTS: certificate };
  const rounds: Map<Candidate, Figures>[] = [];
  // The first round warms the machine's caches.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    const figures = new Map<Candidate, Figures>();
    for (const candidate of candidates.toSorted(() => Math.random() - 0.5)) {
      figures.set(candidate, await measure(candidate, variables));
    }
    rounds.push(figures);
  }

  /** Returns the median of the ratios to raw, paired round by round. */
  function ratio(candidate: Candidate, figure: keyof Figures): string {
    const raw = candidates.find(({ of, build }) => of === candidate.of && build === 'raw');
    const ratios = rounds.slice(1).map((figures) => {
      const [ours, theirs] = [figures.get(candidate), raw && figures.get(raw)];
      return ours && theirs ? ours[figure] / theirs[figure] : Number.NaN;
    });
    return median(ratios).toFixed(2);
  }

  console.log('Ratios of CPU time to a bare command handler, medians of paired rounds:');
  console.table(
    candidates
      .filter(({ build }) => build !== 'raw')
      .map((one) => ({
        function: one.of,
        build: one.build,
        'load and first call': ratio(one, 'start'),
        'first call': ratio(one, 'first'),
        'later call': ratio(one, 'later'),
      })),
  );
} finally {
  rmSync(folder, { recursive: true });
}
