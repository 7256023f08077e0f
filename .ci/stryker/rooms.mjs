/** The rooms of the product: their files, and the folders of their tests. */
export const rooms = {
  functions: {
    mutate: ['functions/**/*.ts'],
    tests: [
      ...['access-tokens', 'consistency', 'contract', 'dynamodb', 'fuzz', 'http', 'plants'],
      'tokens',
    ],
    excludedMutations: ['StringLiteral'],
    ignoreStatic: true,
  },
  'lib/stack': {
    mutate: ['lib/stack/**/*.ts', 'bin/plant-store.ts'],
    tests: ['stack'],
    // The templates are made before the first test.
    ignoreStatic: false,
  },
  'lib/local': {
    mutate: ['lib/local/**/*.ts', '!**/*.d.ts', 'bin/sam.ts', 'bin/start.ts'],
    tests: ['contract', 'fuzz', 'local'],
    ignoreStatic: true,
  },
  'lib/administration': {
    mutate: [
      'lib/{administration,command-line,openapi,tokens}/**/*.ts',
      'bin/{openapi,plants,token}.ts',
    ],
    tests: ['administration', 'local', 'openapi', 'programs', 'tokens'],
    ignoreStatic: true,
  },
};
