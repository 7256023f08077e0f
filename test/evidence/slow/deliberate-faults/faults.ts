type Crypto = typeof import('node:crypto');
type Authorizer = typeof import('../../../../functions/access-tokens/authorizer.ts');
type Json = typeof import('../../../../functions/http/json.ts');
type Operation = typeof import('../../../../functions/http/operation.ts');
type Paging = typeof import('../../../../functions/items/paging.ts');
type Plant = typeof import('../../../../functions/plants/plant.ts');
type Store = typeof import('../../../../functions/plants/store.ts');

/**
 * A mistake that Stryker cannot make, and a suite that must fail because of it. It is made by
 * wrapping what a module exports, so that it survives any rewording of the module.
 */
export interface DeliberateFault {
  /** What the code does then. */
  what: string;
  /** Within `functions`. */
  file: string;
  /** The module to wrap, if it is one that the file imports. */
  imported?: string;
  /**
   * The wrappers, by the names of the exports. Their texts are copied into a new module, so they
   * use nothing but what they get.
   */
  wrappers: Record<string, (sound: never) => unknown>;
  suite: string;
}

const wrap = <Module>(
  wrappers: { [Name in keyof Module]?: (sound: Module[Name]) => Module[Name] },
) => wrappers as DeliberateFault['wrappers'];

export const deliberateFaults: DeliberateFault[] = [
  {
    what: 'a key that forgets the owner',
    file: 'plants/store.ts',
    wrappers: wrap<Store>({
      plantStore:
        (sound) =>
        (...table) => {
          const { create, list, remove } = sound(...table);
          return {
            create: (_, ...rest) => create('everyone', ...rest),
            list: (_, ...rest) => list('everyone', ...rest),
            remove: (_, ...rest) => remove('everyone', ...rest),
          };
        },
    }),
    suite: 'test/plants/store.test.ts',
  },
  {
    what: 'a cursor whose position is ignored',
    file: 'items/paging.ts',
    wrappers: wrap<Paging>({
      readPage: (sound) => (query, path, read) =>
        sound(query, path, (limit) => read(limit, undefined)),
    }),
    suite: 'test/fuzz/requests.test.ts',
  },
  {
    what: 'a 409 that overwrites the plant',
    file: 'plants/store.ts',
    wrappers: wrap<Store>({
      plantStore:
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
    suite: 'test/plants/store.test.ts',
  },
  {
    what: 'digits of a large id lost in the database',
    file: 'plants/plant.ts',
    wrappers: wrap<Plant>({
      plantKind: (sound) => ({
        ...sound,
        parse(stored) {
          const plant = sound.parse(stored);
          return { ...plant, id: BigInt(Number(plant.id)) };
        },
      }),
    }),
    suite: 'test/fuzz/requests.test.ts',
  },
  {
    what: 'the id in an answer',
    file: 'plants/plant.ts',
    wrappers: wrap<Plant>({
      plantKind: (sound) => ({
        ...sound,
        contentOf: (plant) => ({ ...plant, id: 7, ...sound.contentOf(plant) }),
      }),
    }),
    suite: 'test/contract/contract.test.ts',
  },
  {
    what: 'an owner taken from a header',
    file: 'http/operation.ts',
    wrappers: wrap<Operation>({
      operation: (sound) => (schema, run) =>
        sound(schema, run).before(({ event: { headers, requestContext } }) => {
          const owner = headers['x-owner'];
          if (owner) requestContext.authorizer = { owner };
        }),
    }),
    suite: 'test/contract/contract.test.ts',
  },
  {
    what: 'digits of a large id lost in JSON',
    file: 'http/json.ts',
    wrappers: wrap<Json>({
      parseJsonObject: (sound) => (text) => {
        const object = sound(text);
        for (const [name, value] of Object.entries(object?.members ?? {}))
          if (object && typeof value === 'bigint') object.members[name] = BigInt(Number(value));
        return object;
      },
    }),
    suite: 'test/http/json.test.ts',
  },
  {
    what: 'the Authorization header in the log',
    file: 'access-tokens/authorizer.ts',
    wrappers: wrap<Authorizer>({
      authorizer:
        (sound) =>
        (...how) =>
        (event) => {
          console.info(event.authorizationToken);
          return sound(...how)(event);
        },
    }),
    suite: 'test/access-tokens/service.test.ts',
  },
  {
    what: 'a part of the digest compared',
    file: 'access-tokens/authorizer.ts',
    imported: 'node:crypto',
    wrappers: wrap<Crypto>({
      timingSafeEqual: (sound) => (one, other) =>
        sound(Buffer.from(one as Buffer).subarray(8), Buffer.from(other as Buffer).subarray(8)),
    }),
    suite: 'test/access-tokens/same-work.test.ts',
  },
  {
    what: 'a secret of 40 random bits',
    file: 'access-tokens/token.ts',
    imported: 'node:crypto',
    wrappers: wrap<Crypto>({
      randomBytes: (sound) => (size: number) => Buffer.concat([Buffer.alloc(size - 5), sound(5)]),
    }),
    suite: 'test/access-tokens/randomness.test.ts',
  },
  {
    what: 'a secret made by Math.random',
    file: 'access-tokens/token.ts',
    imported: 'node:crypto',
    wrappers: wrap<Crypto>({
      randomBytes: () => (size: number) =>
        Buffer.from(Array.from({ length: size }, () => Math.random() * 256)),
    }),
    suite: 'test/access-tokens/randomness.test.ts',
  },
];
