type Crypto = typeof import('node:crypto');
type Authorizer = typeof import('../../../../functions/access-tokens/authorizer.ts');
type Json = typeof import('../../../../functions/http/json.ts');
type Operation = typeof import('../../../../functions/http/operation.ts');
type Paging = typeof import('../../../../functions/items/paging.ts');
type Plant = typeof import('../../../../functions/plants/plant.ts');
type Store = typeof import('../../../../functions/items/store.ts');

/**
 * Returns a mistake that Stryker cannot make, and a suite that must fail because of it. It is in a
 * file of `functions`, or in a module that such a file imports. It is made by wrapping what the
 * module exports, so that it survives any rewording. The wrappers, by the names of the exports, are
 * copied as text into a new module, so they use nothing but what they get.
 */
const fault = <Module>(
  what: string,
  place: string | [file: string, imported: string],
  suite: string,
  wrappers: { [Name in keyof Module]?: (sound: Module[Name]) => Module[Name] },
) => {
  const [file = '', imported] = [place].flat();
  return { what, file, imported, suite: `test/${suite}.test.ts`, wrappers };
};

export const deliberateFaults = [
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
  fault<Paging>('a cursor whose position is ignored', 'items/paging.ts', 'fuzz/requests', {
    readPage: (sound) => (query, path, read) =>
      sound(query, path, (limit) => read(limit, undefined)),
  }),
  fault<Store>('a 409 that overwrites the plant', 'items/store.ts', 'contract/contract', {
    itemStore:
      (sound) =>
      (...table) => {
        const store = sound(...table);
        const create: typeof store.create = async (owner, plant, signal) => {
          const creation = await store.create(owner, plant, signal);
          if (creation === 'conflict') {
            await store.remove(owner, plant.id, signal);
            await store.create(owner, plant, signal);
          }
          return creation;
        };
        return { ...store, create };
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
        const owner = headers['x-owner'];
        if (owner) requestContext.authorizer = { owner };
      }),
  }),
  fault<Json>('digits of a large id lost in JSON', 'http/json.ts', 'http/json', {
    parseJsonObject: (sound) => (text) => {
      const object = sound(text);
      for (const [name, value] of Object.entries(object?.members ?? {}))
        if (object && typeof value === 'bigint') object.members[name] = BigInt(Number(value));
      return object;
    },
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
    ['access-tokens/authorizer.ts', 'node:crypto'],
    'access-tokens/authorizer',
    {
      timingSafeEqual: (sound) => (one, other) =>
        sound(Buffer.from(one as Buffer).subarray(8), Buffer.from(other as Buffer).subarray(8)),
    },
  ),
  fault<Crypto>(
    'a secret of 40 random bits',
    ['access-tokens/token.ts', 'node:crypto'],
    'access-tokens/token',
    {
      randomBytes: (sound) => (size: number) => Buffer.concat([Buffer.alloc(size - 5), sound(5)]),
    },
  ),
  fault<Crypto>(
    'a secret made by Math.random',
    ['access-tokens/token.ts', 'node:crypto'],
    'access-tokens/token',
    {
      randomBytes: () => (size: number) =>
        Buffer.from(Array.from({ length: size }, () => Math.random() * 256)),
    },
  ),
];
