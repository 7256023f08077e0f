/** What a copy can leave out. */
export interface Part {
  name: string;
  /** What it is, in a line of the help. */
  what: string;
  /** Files and folders, as `git ls-files` takes them. */
  files: string[];
  scripts?: string[];
  packages?: string[];
  /** Settings of the stack, whose lines in JSON and in tables of pages go too. */
  settings?: string[];
  /** Parts that do not work without it, and are left out with it. */
  neededBy?: string[];
  /** Files that take the place of others. */
  instead?: Record<string, string>;
}

/**
 * The parts that a copy can leave out. Beside the files, the lines go that end in a comment like
 * "part: budget", and those between a comment "part: budget" and "end of part".
 */
export const parts: Part[] = [
  {
    name: 'evidence',
    what: 'the proof, mutation testing, the explorer and the benchmark',
    files: [
      'test/evidence/',
      'docs/evidence.md',
      'docs/proof.json',
      'docs/speed.json',
      'docs/mutation.json',
    ],
    scripts: ['proof', 'mutation', 'bench'],
  },
  {
    name: 'fuzzing',
    what: 'hostile requests, which the evidence needs',
    files: ['test/fuzz/'],
    neededBy: ['evidence'],
  },
  {
    name: 'bill',
    what: 'the page on costs and what the README says of them',
    files: ['docs/cost-and-scale.md', 'test/docs/costs/'],
  },
  {
    name: 'budget',
    what: 'the setting monthly-budget',
    files: ['lib/constructs/budget.ts', 'test/stack/monitoring/budget.test.ts'],
    settings: ['monthly-budget'],
  },
  {
    name: 'dashboard',
    what: 'the dashboard in CloudWatch',
    files: ['lib/constructs/dashboard.ts', 'test/stack/monitoring/dashboard.test.ts'],
  },
  {
    name: 'workflows',
    what: 'CI, deployments and updates by GitHub',
    files: [
      '.github/',
      '.ci/steps/workflows',
      'docs/deploy-from-github.md',
      'test/supply-chain/deploy-from-github.test.ts',
    ],
  },
  {
    name: 'export',
    what: 'export, import and erase by npm run plants',
    files: [
      'bin/plants.ts',
      'bin/plants/',
      'docs/export-import.md',
      'test/export-import/',
      'test/slow/programs/export.test.ts',
      'test/slow/programs/plants-program*',
    ],
    scripts: ['plants'],
  },
  {
    name: 'sam',
    what: 'the stack in sam local by npm run sam',
    files: [
      '.ci/steps/sam',
      'bin/sam.ts',
      'bin/sam/',
      'docs/sam-local.md',
      'test/command-line/docker.test.ts',
      'test/docs/sam-local.test.ts',
      'test/slow/sam/',
    ],
    scripts: ['sam'],
  },
  {
    name: 'reference',
    what: 'the page that calls the API from a browser',
    files: [
      '.ci/tools/chromium',
      'bin/start/reference/',
      'test/start/reference.test.ts',
      'test/support/chromium.ts',
      'test/slow/programs/reference-in-browser.test.ts',
    ],
    packages: ['swagger-ui-dist'],
  },
  {
    name: 'pages',
    what: 'our pages: a short README is left',
    files: [
      'README.md',
      'CHANGELOG.md',
      'docs/decisions.md',
      'docs/make-it-yours.md',
      'docs/first-minute.svg',
      'test/docs/commands.test.ts',
      'test/docs/pictures/',
      'test/docs/readme.test.ts',
      'test/slow/programs/first-minute.test.ts',
    ],
    instead: { 'README.md': 'bin/yours/readme.md' },
  },
];

/** What no copy has, because it is about the original and its plants. */
export const onlyOfTheOriginal: Part = {
  name: 'original',
  what: 'the proof that a copy can be made yours, its pictures, and how long its pages may be',
  files: [
    '.ci/steps/make-it-yours',
    'docs/reference-dark.webp',
    'docs/reference-light.webp',
    'test/docs/page-length.test.ts',
    'test/docs/pictures/reference.ts',
    'test/slow/make-it-yours/',
    'test/yours/',
  ],
};

/** Returns the parts of these names, and those that do not work without them. */
export function partsNamed(names: readonly string[]): Part[] {
  const given = names.includes('all') ? parts.map(({ name }) => name) : names;
  const chosen = new Set(given);
  for (const { name, neededBy = [] } of parts) {
    if (chosen.has(name)) {
      for (const one of neededBy) {
        chosen.add(one);
      }
    }
  }
  return parts.filter(({ name }) => chosen.has(name));
}

/** Returns the names that no part has. */
export const unknownParts = (names: readonly string[]): string[] =>
  names.filter((name) => name !== 'all' && !parts.some((part) => part.name === name));
