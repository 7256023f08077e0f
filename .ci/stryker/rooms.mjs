/**
 * The rooms of the product: their files, the folders of their tests, and the percentage of mutants
 * that these tests must notice. Mutants that only a thread or a program runs count as not noticed.
 */
export const rooms = {
  functions: {
    mutate: ['functions/**/*.ts'],
    tests: [
      ...['access-tokens', 'consistency', 'contract', 'dynamodb', 'fuzz', 'http', 'plants'],
      'tokens',
    ],
    excludedMutations: ['StringLiteral'],
    ignoreStatic: true,
    least: 90,
  },
  'lib/stack': {
    mutate: ['lib/stack/**/*.ts', 'bin/plant-store.ts'],
    tests: ['stack'],
    // The templates are made before the first test.
    ignoreStatic: false,
    least: 85,
  },
  'lib/local': {
    mutate: ['lib/local/**/*.ts', '!**/*.d.ts', 'bin/sam.ts', 'bin/start.ts'],
    tests: ['contract', 'fuzz', 'local'],
    ignoreStatic: true,
    least: 85,
  },
  'lib/administration': {
    mutate: [
      'lib/{administration,command-line,openapi,tokens}/**/*.ts',
      'bin/{openapi,plants,token}.ts',
    ],
    tests: ['administration', 'local', 'openapi', 'programs', 'tokens'],
    ignoreStatic: true,
    least: 75,
  },
};
