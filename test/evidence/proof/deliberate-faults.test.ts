import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { root } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { countOf } from '../../support/report/property.ts';
import { report } from '../../support/report/report.ts';
import { faultyCopy } from '../faulty-copy.ts';

type Crypto = typeof import('node:crypto');
type Authorizer = typeof import('../../../functions/access-tokens/authorizer.ts');
type Operation = typeof import('../../../functions/http/operation.ts');
type Plant = typeof import('../../../functions/plants/plant.ts');
type Store = typeof import('../../../functions/items/store.ts');

/**
 * Returns a mistake that Stryker cannot make, and a suite that must fail because of it. It is in a
 * file of `functions`, or in a module that such a file imports. It is made by wrapping what the
 * module exports, so that it survives any rewording. The wrappers, by the names of the exports, are
 * copied as text into a new module, so they use nothing but what they get.
 */
const fault = <Module>(
  what: string,
  place: string,
  suite: string,
  wrappers: { [Name in keyof Module]?: (sound: Module[Name]) => Module[Name] },
) => {
  const [file = '', imported] = place.split(' of ').reverse();
  return {
    what,
    file: join('functions', file),
    imported,
    suite: `test/${suite}.test.ts`,
    wrappers,
  };
};

const deliberateFaults = [
  fault<Store>('a key that forgets the owner', 'items/store.ts', 'contract/contract', {
    itemStore:
      (sound) =>
      (...table) => {
        const store = sound(...table);
        return {
          ...store,
          create: (_, ...rest) => store.create('everyone', ...rest),
          list: (_, ...rest) => store.list('everyone', ...rest),
          remove: (_, ...rest) => store.remove('everyone', ...rest),
        };
      },
  }),
  fault<Plant>('digits of a large id lost in the database', 'plants/plant.ts', 'fuzz/requests', {
    plantKind: (sound) => ({
      ...sound,
      parse(stored) {
        const plant = sound.parse(stored);
        return { ...plant, id: BigInt(Number(plant.id)) };
      },
    }),
  }),
  fault<Plant>('the id in an answer', 'plants/plant.ts', 'contract/contract', {
    plantKind: (sound) => ({
      ...sound,
      answerOf: (plant) => ({ ...plant, id: 7, ...sound.answerOf(plant) }),
    }),
  }),
  fault<Operation>('an owner taken from a header', 'http/operation.ts', 'contract/contract', {
    operation: (sound) => (schema, run) =>
      sound(schema, run).before(({ event: { headers, requestContext } }) => {
        const owner = headers['X-Owner'];
        if (owner) {
          requestContext.authorizer = { owner };
        }
      }),
  }),
  fault<Authorizer>(
    'the Authorization header in the log',
    'access-tokens/authorizer.ts',
    'access-tokens/service',
    {
      authorizer:
        (sound) =>
        (...how) =>
        (event) => {
          console.info(event.authorizationToken);
          return sound(...how)(event);
        },
    },
  ),
  fault<Crypto>(
    'a part of the digest compared',
    'node:crypto of access-tokens/authorizer.ts',
    'access-tokens/authorizer',
    {
      timingSafeEqual: (sound) => (one, other) =>
        sound(Buffer.from(one as Buffer).subarray(8), Buffer.from(other as Buffer).subarray(8)),
    },
  ),
  fault<Crypto>(
    'a secret of 40 random bits',
    'node:crypto of access-tokens/token.ts',
    'access-tokens/token',
    {
      randomBytes: (sound) => (size: number) => Buffer.concat([Buffer.alloc(size - 5), sound(5)]),
    },
  ),
];

/** Returns the contents of files that plant a fault. */
function filesOf({ file, imported, wrappers }: (typeof deliberateFaults)[number]) {
  const source = readFileSync(join(root, file), 'utf8');
  const added = file.replace(/\.ts$/, '.added.ts');
  const name = `./${added.split('/').at(-1)}`;
  const wrapping = (module: string) =>
    [
      `export * from '${module}';`,
      `import * as sound from '${module}';`,
      ...Object.entries(wrappers).map(
        ([key, wrap]) => `export const ${key} = (${wrap})(sound.${key});`,
      ),
    ].join('\n');
  if (!imported) {
    return { [added]: source, [file]: wrapping(name) };
  }
  const importing = source.replace(`from '${imported}'`, `from '${name}'`);
  expect(importing).not.toBe(source);
  return { [added]: wrapping(imported), [file]: importing };
}

const findFailure = faultyCopy(temporaryFolder());
const startedAt = performance.now();
const found: string[] = [];
afterAll(() =>
  report(
    {
      topic: 'Deliberate faults',
      tried: found.join('; '),
      count: found.length,
      unit: 'faults',
      outcome: 'A test failed for each, other than by a crash or a time-out.',
      command: 'npm run proof -- test/evidence/proof/deliberate-faults',
    },
    startedAt,
  ),
);

test.each(deliberateFaults.slice(0, countOf({ whole: deliberateFaults.length })))(
  '$what: $suite fails',
  async (fault) => {
    const failure = (await findFailure(fault.suite, filesOf(fault))) ?? 'none';
    expect(failure).not.toMatch(/^none$|^did not end|SyntaxError|Build failed/);
    process.stdout.write(`${fault.what}: ${fault.suite} says: ${failure.split('\n', 1)}\n`);
    found.push(fault.what);
  },
);
