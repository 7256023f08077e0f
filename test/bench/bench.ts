import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type BuildOptions, buildSync } from 'esbuild';
import { functionVariables } from '../../lib/offline/functions.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { makeCertificate } from '../support/certificate.ts';
import { root } from '../support/checkout.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// Measures the CPU time of each function beside a bare command handler with the same SDK, in new
// processes with Lambda's flags, against a database that answers at once. Prints ratios, which hold
// on any machine, and keeps nothing.
//   npm run bench [-- --rounds 12] [-- --beside ASSEMBLY]
// An assembly of an earlier version comes from `npx cdk synth --output ASSEMBLY`.

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '12' }, beside: { type: 'string' } },
});

/** As Lambda starts Node with 512 MB: 5 % of it for young objects, 90 % for old ones. */
const lambdaFlags = [
  '--max-http-header-size=81920',
  '--max-semi-space-size=25',
  '--max-old-space-size=460',
];

const token = forge('caller000000');
const authorizer = { owner: 'caller' };
/** The functions by their ids in the template, and a list of a thousand plants. */
const cases = {
  CreatePlant: {
    entry: 'create-plant',
    calls: 300,
    event: proxyEvent({ authorizer, body: '{"id":7,"name":"Monstera deliciosa","tag":"indoor"}' }),
  },
  ListPlants: { entry: 'list-plants', calls: 300, event: proxyEvent({ authorizer }) },
  DeletePlant: {
    entry: 'delete-plant',
    calls: 300,
    event: proxyEvent({ authorizer, pathParameters: { id: '7' } }),
  },
  Authorizer: {
    entry: 'authorize',
    calls: 300,
    event: {
      type: 'TOKEN',
      authorizationToken: `Bearer ${token}`,
      methodArn: 'arn:aws:execute-api:eu-central-1:000000000000:api/v1/GET/plants',
    },
  },
  'ListPlants, 1000 plants': {
    entry: 'list-plants',
    calls: 40,
    event: proxyEvent({ authorizer: { owner: 'thousand' } }),
  },
};
type Case = keyof typeof cases;
const names = Object.keys(cases) as Case[];

interface Candidate {
  of: Case;
  build: 'ours' | 'raw' | 'CDK default' | 'beside';
  file: string;
}

/** The CPU time in µs of what a function did. */
type Figures = Record<'start' | 'first' | 'later', number>;

/** The build of `raw`. It stays as it is, so that our build is not its own measure. */
const pinned: BuildOptions = {
  minify: true,
  format: 'cjs',
  mainFields: ['module', 'main'],
  supported: { 'dynamic-import': false },
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'environment-credentials.mjs'),
  },
};

function buildRaw(folder: string, entry: string, name: string, options: BuildOptions): string {
  const file = join(folder, `${name}-${entry}.cjs`);
  buildSync({
    entryPoints: [join(import.meta.dirname, 'raw.mjs')],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node24',
    define: { 'process.env.OPERATION': JSON.stringify(entry) },
    ...options,
  });
  return file;
}

/** Returns the file that Lambda loads of each function in an assembly. */
function bundlesIn(assembly: string): (name: Case) => string {
  const template = readFileSync(join(assembly, 'PlantStore.template.json'), 'utf8');
  const { Resources } = JSON.parse(template);
  return (name) => {
    const [id = ''] = name.split(',');
    return join(assembly, Resources[id].Metadata['aws:asset:path'], 'start.mjs');
  };
}

function candidatesIn(folder: string): Candidate[] {
  const assembly = join(folder, 'assembly');
  execFileSync('npx', ['cdk', 'synth', '--quiet', '--output', assembly], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const ours = bundlesIn(assembly);
  const beside = values.beside === undefined ? undefined : bundlesIn(values.beside);
  // How CDK's NodejsFunction builds a function that it is only told to minify.
  const cdkDefault = buildRaw(folder, 'create-plant', 'default', { minify: true, format: 'cjs' });
  return names.flatMap((of): Candidate[] => {
    const { entry } = cases[of];
    return [
      { of, build: 'ours', file: ours(of) },
      { of, build: 'raw', file: buildRaw(folder, entry, 'raw', pinned) },
      ...(of === 'CreatePlant' ? [{ of, build: 'CDK default' as const, file: cdkDefault }] : []),
      ...(beside ? [{ of, build: 'beside' as const, file: beside(of) }] : []),
    ];
  });
}

const plantOf = (id: number) => ({
  id: { N: `${id}` },
  name: { S: `Monstera deliciosa ${id}` },
  tag: { S: 'indoor' },
});
const page = (length: number) =>
  JSON.stringify({ Items: Array.from({ length }, (_, i) => plantOf(i)), Count: length });
const record = {
  id: { S: token.slice(4, 16) },
  digest: { B: createHash('sha256').update(token).digest('base64') },
  owner: { S: 'caller' },
  scopes: { L: [{ S: 'plants:read' }, { S: 'plants:write' }] },
  label: { S: '' },
  created: { N: '1600000000' },
};
const answers: Record<string, string> = {
  PutItem: '{}',
  DeleteItem: JSON.stringify({ Attributes: plantOf(1) }),
  GetItem: JSON.stringify({ Item: record }),
  Query: page(10),
};
const thousand = page(1000);

interface Stub {
  endpoint: string;
  /** The file of its certificate. */
  certificate: string;
}

/** Starts a database that answers every command at once, over TLS as DynamoDB does. */
async function startStub(folder: string): Promise<Stub> {
  const { key, certificate } = makeCertificate(folder);
  const tls = { key: readFileSync(key), cert: readFileSync(certificate) };
  const server = createServer({ ...tls, keepAliveTimeout: 60_000 }, async (request, response) => {
    const body = await text(request);
    const command = `${request.headers['x-amz-target']}`.split('.')[1] ?? '';
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end(body.includes('thousand') ? thousand : answers[command]);
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, certificate };
}

/** Runs a candidate in a new process. */
async function measure({ of, file }: Candidate, { endpoint, certificate }: Stub): Promise<Figures> {
  const { event, calls } = cases[of];
  const input = JSON.stringify({ file: pathToFileURL(file).href, event, calls });
  const program = join(import.meta.dirname, 'measure.mjs');
  const child = spawn(process.execPath, [...lambdaFlags, program, input], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...functionVariables(endpoint), NODE_EXTRA_CA_CERTS: certificate },
  });
  return JSON.parse(await text(child.stdout));
}

const shuffled = <T>(list: T[]): T[] => {
  const places = new Map(list.map((item) => [item, Math.random()]));
  return list.toSorted((a, b) => Number(places.get(a)) - Number(places.get(b)));
};

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [below = Number.NaN, above = Number.NaN] = [
    sorted[Math.floor(middle)],
    sorted[Math.ceil(middle)],
  ];
  return (below + above) / 2;
}

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
try {
  const candidates = candidatesIn(folder);
  const stub = await startStub(folder);
  const figures = new Map<Candidate, Figures[]>(candidates.map((one) => [one, []]));
  // The first round warms the machine's caches.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const candidate of shuffled(candidates)) {
      const measured = await measure(candidate, stub);
      if (round > 0) {
        figures.get(candidate)?.push(measured);
      }
    }
  }

  /** Returns the median of the ratios to raw, paired round by round. */
  function ratio(candidate: Candidate, figure: keyof Figures): string {
    const raw = candidates.find(({ of, build }) => of === candidate.of && build === 'raw');
    const ratios = (figures.get(candidate) ?? []).map((one, round) => {
      const theirs = raw && figures.get(raw)?.[round]?.[figure];
      return one[figure] / (theirs ?? Number.NaN);
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
