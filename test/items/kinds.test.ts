import { type DynamoDBDocumentClient, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { descriptions } from '../../bin/openapi/descriptions.ts';
import type { InputSchema } from '../../functions/http/input.ts';
import { parseJsonObject } from '../../functions/http/json.ts';
import {
  type Content,
  type Field,
  optional,
  orNull,
  readFields,
  required,
} from '../../functions/items/fields.ts';
import { type ItemFields, id, kindOf } from '../../functions/items/item.ts';
import {
  decimal,
  flag,
  int64,
  integer,
  listOf,
  oneOf,
  text,
  time,
  type ValueKind,
} from '../../functions/items/kinds.ts';
import { type ItemStore, itemStore } from '../../functions/items/store.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { buildOptions } from '../../lib/bundle.ts';
import { engines } from '../support/database/engines.ts';
import { openTables } from '../support/database/open-database.ts';
import { type Description, differencesFrom } from '../support/openapi/description.ts';
import { pinOf } from '../support/pin.ts';

const fields = {
  label: required(text(2, 9)),
  soil: required(oneOf('sand', 'clay', 'loam'), 'loam'),
  depth: optional(integer(-5, 2 ** 31), 0),
  price: required(decimal(0, 1000, 2), 9.99),
  covered: optional(flag(), false),
  wateredAt: orNull(time()),
  tags: optional(listOf(text(1, 20), 3), []),
  rows: optional(listOf(integer(0, 9), 2), [1]),
} satisfies ItemFields;
const bedKind = kindOf('bed', 'plants', fields);
type Bed = Content<typeof fields>;

/** Reads a body as an item, and the places and details of its faults. */
function read(body: string) {
  const faults: string[] = [];
  const { members = {} } = parseJsonObject(body) ?? {};
  const bed = readFields({ id, ...fields }, members, 'fromJson', (name, detail, place = '') =>
    faults.push(`/${name}${place} ${detail}`),
  );
  return { bed, faults };
}
const whole = '"id": 1, "label": "ab", "soil": "clay", "price": 12.50';

test('a body is read by the kinds of its fields, with the fallbacks of what is left out', () => {
  const bed = { id: 1n, label: 'ab', soil: 'clay', price: 12.5 };
  const others = { depth: 0, covered: false, wateredAt: null, tags: [], rows: [1] };
  expect(read(`{${whole}}`)).toEqual({ bed: { ...bed, ...others }, faults: [] });
  const all =
    '"depth": 1e3, "covered": true, "wateredAt": "2024-02-29T00:00:00Z", "tags": ["a", "b"], ' +
    '"rows": [2.0, 3]';
  expect(read(`{${whole}, ${all}}`)).toEqual({
    bed: {
      ...bed,
      depth: 1000,
      covered: true,
      wateredAt: '2024-02-29T00:00:00Z',
      tags: ['a', 'b'],
      rows: [2, 3],
    },
    faults: [],
  });
  expect(read(`{${whole}, "wateredAt": null}`).faults).toEqual([]);
});

test.each([
  ['"label": "a"', '/label must be 2 to 9 code points long'],
  ['"soil": "Clay"', '/soil must be sand or clay or loam'],
  ['"depth": -6', '/depth must be at least -5'],
  ['"depth": 2147483649', '/depth must be at most 2147483648'],
  ['"depth": 1.0000000000000000000001', '/depth must be an integer'],
  ['"price": 1000.01', '/price must be at most 1000'],
  ['"price": -0.01', '/price must be at least 0'],
  ['"price": 1.001', '/price must be a number with at most 2 decimals'],
  ['"price": "1"', '/price must be a number with at most 2 decimals'],
  ['"price": 1e-400', '/price must be a number with at most 2 decimals'],
  ['"price": 1.00000000000000000001', '/price must be a number with at most 2 decimals'],
  ['"covered": 1', '/covered must be true or false'],
  ['"covered": null', '/covered must be true or false'],
  ['"wateredAt": "2026-02-30T00:00:00Z"', /^\/wateredAt must be a time in UTC/],
  ['"tags": "a"', '/tags must be a list'],
  ['"tags": ["a", "b", "c", "d"]', '/tags must have at most 3 items'],
  ['"tags": ["a", 7, "b", "c"]', '/tags must have at most 3 items', '/tags/1 must be a string'],
  ['"tags": ["a", 7]', '/tags/1 must be a string'],
  ['"tags": ["a", null]', '/tags/1 must be a string'],
  ['"rows": [[1], 10]', '/rows/0 must be an integer', '/rows/1 must be at most 9'],
  ['"rows": [1.0000000000000000000001]', '/rows/0 must be an integer'],
])('a body with %s has its faults named', (member, ...faults) => {
  const name = member.split('"')[1];
  const others = whole.split(', ').filter((one) => !one.startsWith(`"${name}"`));
  expect(read(`{${[...others, member].join(', ')}}`).faults).toEqual(
    faults.map((fault) => (typeof fault === 'string' ? fault : expect.stringMatching(fault))),
  );
});

test('required fields that are missing are named, and no others', () => {
  expect(read('{"id": 1}').faults).toEqual([
    '/label is required',
    '/soil is required',
    '/price is required',
  ]);
});

const kinds = Object.entries<Field<unknown>>({ id, ...fields });
const bodyOf = (value: unknown) =>
  JSON.stringify({ value }, (_, one) => (typeof one === 'bigint' ? JSON.rawJSON(`${one}`) : one));

test.each(kinds)('the samples of %s are accepted and refused as they should', (_, { kind }) => {
  const { good, bad } = kind.samples();
  const accepts = (value: unknown) => {
    let isGood = true;
    const { members = {} } = parseJsonObject(bodyOf(value)) ?? {};
    const result = kind.fromJson(members.value, () => {
      isGood = false;
      return undefined;
    });
    return isGood && kind.isSame(result, value);
  };
  expect(good.map(accepts)).toEqual(good.map(() => true));
  expect(bad.map(accepts)).toEqual(bad.map(() => false));
  expect(kind.isSame(good[0], good[1])).toBe(false);
});

test.each(kinds)('a parameter like %s is what a link repeats of it', (_, { kind }) => {
  for (const value of kind.samples().good) {
    const given = kind.toParameter(value);
    const refuse = (detail: string): never => {
      throw new Error(detail);
    };
    const read = kind.fromParameter(given.length === 1 ? given[0] : given, refuse);
    expect(read).toEqual(value);
  }
});

test.each([
  ['depth', '01', 'must be an integer in canonical decimal digits, like 7 or -7'],
  ['depth', ['1', '1'], 'must be given only once'],
  ['price', ['1', '1'], 'must be given only once'],
  ['covered', ['true', 'true'], 'must be given only once'],
  ['wateredAt', ['', ''], 'must be given only once'],
  ['soil', 'Clay', 'must be sand or clay or loam'],
  ['price', '1e-7', 'must be a number in canonical decimal digits, like 7 or 7.5'],
  ['price', '1.50', 'must be a number in canonical decimal digits, like 7 or 7.5'],
  ['price', '1.005', 'must be a number with at most 2 decimals'],
  ['covered', 'yes', 'must be true or false'],
  ['wateredAt', '', 'must be a time in UTC, like 2026-11-22T15:04:05Z'],
  ['rows', '10', 'must be at most 9'],
] as const)('a parameter like %s does not accept %j', (name, given, detail) => {
  const refuse = (found: string) => expect(found).toBe(detail) as undefined;
  expect.assertions(2);
  expect(fields[name].kind.fromParameter(given, refuse)).toBeUndefined();
});

test.each([
  { kind: int64(), schema: { type: 'integer', format: 'int64' } },
  { kind: integer(-5, 9), schema: { type: 'integer', minimum: -5, maximum: 9 } },
  { kind: decimal(0, 1, 2), schema: { type: 'number', minimum: 0, maximum: 1, multipleOf: 0.01 } },
  { kind: flag(), schema: { type: 'boolean' } },
  { kind: oneOf('a', 'b'), schema: { type: 'string', enum: ['a', 'b'] } },
  {
    kind: time(),
    schema: { type: 'string', format: 'date-time', pattern: expect.stringContaining('Z$') },
  },
  {
    kind: listOf(flag(), 3),
    schema: { type: 'array', maxItems: 3, items: { type: 'boolean' } },
  },
])('the schema of a kind is $schema', ({ kind, schema }) => {
  expect(kind.schema()).toEqual(schema);
});

test.each<{ kind: ValueKind<unknown>; good: unknown[]; bad: unknown[] }>([
  { kind: int64(), good: [7n, 0n], bad: [] },
  { kind: integer(-5, 9), good: [-5, 9], bad: [] },
  { kind: decimal(0, 1, 2), good: [0, 1], bad: [0.001] },
  { kind: flag(), good: [true, false], bad: [] },
  { kind: oneOf('a', 'b', 'c'), good: ['a', 'b', 'c'], bad: ['a-'] },
  { kind: text(1, 200), good: ['Aloe', 'Ficus'], bad: ['\0', '\n', '\x7F', '\x85', '\uFFFD'] },
  {
    kind: time(),
    good: ['2026-11-22T15:04:05Z', '2024-02-29T00:00:00Z'],
    bad: ['2026-02-29T00:00:00Z', '2026-11-22T15:04:05+01:00', '2026-11-22', ''],
  },
  { kind: listOf(integer(0, 9), 1), good: [[0], []], bad: [] },
  { kind: listOf(decimal(0, 9, 0), 2), good: [[0, 9], []], bad: [[0.1]] },
])('a kind whose good samples are $good has its bad ones too', ({ kind, good, bad }) => {
  const padded = bad.map((one) => (typeof one === 'string' ? expect.stringContaining(one) : one));
  expect(kind.samples()).toEqual({ good, bad: padded });
});

test.each([
  { kind: text(1, 1), length: 1 },
  { kind: text(300, 400), length: 300 },
])('the good samples of a text have a length of $length', ({ kind, length }) => {
  expect(kind.samples().good.map((sample) => sample.length)).toEqual([length, length]);
});

const nullable = orNull(listOf(text(1, 9), 2)).kind;

test('a kind that may be null is described by its own schema and null', () => {
  const { type, ...rest } = listOf(text(1, 9), 2).schema();
  expect(nullable.schema()).toEqual({ type: [type, 'null'], ...rest });
});

test('a value that may be null is stored as it is, or as null', () => {
  expect(nullable.toStored(null)).toBeNull();
  expect(nullable.toStored(['a'])).toEqual(['a']);
});

test.each([
  { one: null, other: null, same: true },
  { one: null, other: ['a'], same: false },
  { one: ['a'], other: null, same: false },
  { one: ['a'], other: ['a'], same: true },
  { one: ['a'], other: ['b'], same: false },
  { one: ['a'], other: ['a', 'b'], same: false },
  { one: ['a', 'b'], other: ['a'], same: false },
])('of values that may be null, $one and $other are the same: $same', ({ one, other, same }) => {
  expect(nullable.isSame(one, other)).toBe(same);
});

test.each([undefined, '1', null])('an item whose id is %j is an error', (damaged) => {
  const stored = { ...bedKind.toStored({ id: 1n, ...bedKind.example }), id: damaged };
  expect(() => bedKind.parse(stored)).toThrow(`The stored bed ${damaged} has no valid id.`);
});

test.each<[what: string, sound: Field<unknown>, broken: Field<unknown>]>([
  ['a text that is longer', required(text(1, 9)), required(text(1, 10))],
  ['a text that may be empty', required(text(1, 9)), required(text(0, 9))],
  ['an integer with another bound', required(integer(0, 9)), required(integer(0, 10))],
  ['a decimal with more decimals', required(decimal(0, 9, 2)), required(decimal(0, 9, 3))],
  ['one of more texts', required(oneOf('a', 'b')), required(oneOf('a', 'b', 'c'))],
  ['a text for a time', required(time()), required(text(0, 20))],
  ['a flag with another default', optional(flag(), false), optional(flag(), true)],
  ['a longer list', optional(listOf(text(1, 9), 3), []), optional(listOf(text(1, 9), 4), [])],
  ['a list of others', optional(listOf(text(1, 9), 3), []), optional(listOf(text(1, 8), 3), [])],
  ['an optional field', required(time()), orNull(time())],
  ['another fallback', required(integer(0, 9), 1), required(integer(0, 9), 2)],
  ['no fallback', required(integer(0, 9), 1), required(integer(0, 9))],
])('a pin tells %s', (_, sound, broken) => {
  expect(pinOf(broken)).not.toEqual(pinOf(sound));
});

/** Returns the description of an answer that is a decimal. */
function answerOf(decimals: number): Description {
  return {
    headers: {},
    content: { 'application/json': { schema: decimal(0, 1000, decimals).schema() } },
  };
}

/** Returns what is wrong with the body of an answer. */
function faultsOf(description: Description, body: string): string[] {
  const headers = { 'content-type': 'application/json' };
  return differencesFrom(description, { status: 200, headers, body });
}

test('a decimal in an answer is what its schema describes, though a double rounds it', () => {
  // Ajv compiles a schema once, so make only one.
  const inCents = answerOf(2);
  for (let cents = 0; cents <= 20_000; cents += 1) {
    expect(faultsOf(inCents, `${cents / 100}`)).toEqual([]);
  }
  expect(faultsOf(answerOf(7), '1e-7')).toEqual([]);
});

test.each(['0.001', '1e-12', '999.999999999999'])(
  'a number with too many decimals in an answer is not as described: %s',
  (body) => {
    expect(faultsOf(answerOf(2), body)).toHaveLength(1);
  },
);

test('a kind that no field uses adds no byte to a bundle', () => {
  const { outputFiles = [] } = buildSync({
    ...buildOptions(),
    metafile: false,
    plugins: [],
    external: ['@aws-sdk/*', '@smithy/*', '@middy/*'],
  });
  const code = outputFiles.map((file) => file.text).join('\n');
  // It has what plants use.
  expect(code).toContain('code points long');
  const traces = { number: 'multipleOf', 'date-time': 'date-time', array: 'maxItems' };
  const inputs: InputSchema[] = Object.values(descriptions).map(({ input }) => input);
  const sections = inputs.flatMap(({ path, query, body }) => [path ?? {}, query ?? {}, body ?? {}]);
  const taken = sections.flatMap((section) => Object.values(section));
  const used = JSON.stringify(taken.map(({ kind }) => kind.schema()));
  for (const [kind, trace] of Object.entries({ ...traces, enum: 'enum:', boolean: '"boolean"}' })) {
    if (!used.includes(`"${kind}"`)) {
      expect(`${code.includes(trace)} ${kind}`).toBe(`false ${kind}`);
    }
  }
});

describe.each(engines())('on $name', (engine) => {
  let database: DynamoDBDocumentClient;
  let beds: ItemStore<Bed & { id: bigint }>;
  const put = (item: object) =>
    database.send(new PutCommand({ TableName: tableIds.plants, Item: item }));

  beforeAll(async () => {
    ({ database } = await openTables(tableIds, engine));
    beds = itemStore(bedKind, database, tableIds.plants);
  });

  test('a field of each kind is stored, compared, listed and answered', async () => {
    const bed = { id: 1n, ...bedKind.example };
    expect(await beds.create('gardener', bed)).toBe('created');
    expect(await beds.create('gardener', structuredClone(bed))).toBe('unchanged');
    for (const [name, { kind }] of Object.entries<Field<unknown>>(fields)) {
      const [, other] = kind.samples().good;
      const changed = { ...bed, [name]: other };
      expect([name, await beds.create('gardener', changed)]).toEqual([name, 'conflict']);
      expect(await beds.remove('gardener', 1n)).toBe(true);
      expect(await beds.create('gardener', changed)).toBe('created');
      expect(await beds.list('gardener', 9, undefined)).toEqual([changed]);
      await beds.remove('gardener', 1n);
      await beds.create('gardener', bed);
    }
    expect(bedKind.answerOf(bed)).toEqual(bedKind.example);
  });

  test('an item of an earlier version has the fallbacks, and is compared with them', async () => {
    await put({ owner: 'old', id: 1n, label: 'ab' });
    const { bed } = read('{"id": 1, "label": "ab", "soil": "loam", "price": 9.99}');
    expect(await beds.list('old', 9, undefined)).toEqual([bed]);
    expect(await beds.create('old', bed)).toBe('unchanged');
    expect(await beds.create('old', { ...bed, price: 10 })).toBe('conflict');
  });

  test('an item of a later version is read, compared and deleted, whatever it holds', async () => {
    const known = { ...bedKind.example, soil: 'peat', depth: 2.5, label: 'longer than here' };
    const unknown = {
      half: 12.5,
      huge: NumberValue.from('1'.repeat(38)),
      tiny: NumberValue.from('1e-130'),
      text: 'x',
      yes: true,
      nothing: null,
      bytes: new Uint8Array([1]),
      map: { a: [1.5] },
      texts: new Set(['a']),
      numbers: new Set([1.5, 2]),
      binary: new Set([Buffer.of(1)]),
    };
    await put({ owner: 'new', id: 1n, ...known, ...unknown });
    const expected = { id: 1n, ...known };
    expect(await beds.list('new', 9, undefined)).toEqual([expected]);
    expect(await beds.create('new', expected as never)).toBe('unchanged');
    expect(await beds.create('new', { id: 1n, ...bedKind.example })).toBe('conflict');
    expect(await beds.remove('new', 1n)).toBe(true);
  });

  test.each([
    { label: 7 },
    { depth: '7' },
    { covered: 'true' },
    { tags: 'a' },
    { tags: ['a', 7] },
    { rows: ['1'] },
    { label: null },
  ])('an item with %j is an error that names the field', async (damage) => {
    await put({ owner: 'damaged', ...bedKind.toStored({ id: 1n, ...bedKind.example }), ...damage });
    const message = `The stored bed 1 has no valid ${Object.keys(damage)}.`;
    await expect(beds.list('damaged', 9, undefined)).rejects.toThrow(message);
  });
});
