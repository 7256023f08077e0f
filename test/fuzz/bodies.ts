import fc from 'fast-check';
import type { Operation } from '../../functions/shared/operations.ts';
import { findBody, type Schema } from '../support/openapi/description.ts';
import { isInt64 } from './second-opinion.ts';

/** Any characters. Unlike fast-check's unit `binary`, they need no table of all code points. */
const anyUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
const anyPoint = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
const anyText = (maxLength: number) =>
  fc.oneof(
    ...['grapheme' as const, anyPoint, anyUnit].map((unit) => fc.string({ maxLength, unit })),
    fc.constantFrom('', '-', '~/', '__proto__', 'constructor', 'owner', 'limt', '\uFFFD', '\u0085'),
  );

/** An integer near one of the edges that matter, or any. */
const integer = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
  fc
    .tuple(fc.constantFrom(0n, 2n ** 31n, 2n ** 53n, 2n ** 63n, -(2n ** 63n)), fc.integer())
    .map(([edge, offset]) => edge + BigInt(offset % 3)),
);

/** A spelling of such an integer as a JSON number, or nearly one. */
export const numberLiteral = fc.oneof(
  integer.map(String),
  fc
    .tuple(integer, fc.nat(30), fc.constantFrom('e', 'E', 'e+', 'e-', 'E-'))
    .map(([value, zeros, e]) => `${value}${'0'.repeat(zeros)}${e}${zeros}`),
  fc
    .tuple(integer, fc.nat(19))
    .map(([value, places]) => `${value}`.replace(new RegExp(`\\B(?=\\d{${places}}$)`), '.')),
  fc.tuple(integer, fc.nat(25)).map(([value, zeros]) => `${value}.${'0'.repeat(zeros + 1)}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('-0', '0e999999999999', '1e999999999999', '1e-999999999999', '-0.0E-7'),
);

/** The JSON of a text, with some characters escaped. */
const stringLiteral = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.nat(4)).map(([characters, every]) => {
    const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const parts = [...characters].map((character, i) =>
      every > 0 && i % every === 0
        ? character.replaceAll(/[\s\S]/g, escapeUnit)
        : JSON.stringify(character).slice(1, -1),
    );
    return `"${parts.join('')}"`;
  });

const goodText = (least: number, most: number) =>
  fc.oneof(
    fc.string({ minLength: least, maxLength: most, unit: 'grapheme-ascii', size: 'max' }),
    fc
      .tuple(fc.constantFrom('a', 'é', '🌱', '\u0301'), fc.integer({ min: least, max: most }))
      .map(([character, length]) => character.repeat(length)),
  );
const anyJson = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom('null', 'true', '0', '""', '[]', '{}'),
);
const either = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** An integer between the bounds of a schema, or of an int64, and sometimes next to them. */
function boundedInteger({ minimum, maximum }: Schema): fc.Arbitrary<string> {
  if (minimum === undefined || maximum === undefined) {
    const edges = fc.constantFrom(-(2n ** 63n) - 1n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n);
    return fc.oneof({ weight: 9, arbitrary: integer.filter(isInt64) }, edges).map(String);
  }
  const [min, max] = [BigInt(minimum), BigInt(maximum)];
  const edges = fc.constantFrom(min - 1n, min, max, max + 1n);
  return fc.oneof(fc.bigInt({ min, max }), edges).map(String);
}

const text = (least: number, most: number) =>
  either(goodText(least, most), fc.oneof(anyText(most + 10), goodText(most + 1, most + 3)));

/** The JSON of a value that a schema of the document mostly accepts. */
function valueLiteral(schema: Schema): fc.Arbitrary<string> {
  switch (schema.type) {
    case 'integer':
      return either(
        fc.oneof(
          { weight: 3, arbitrary: boundedInteger(schema) },
          { weight: 1, arbitrary: numberLiteral },
        ),
        fc.oneof(numberLiteral, anyJson),
      );
    case 'string':
      return either(stringLiteral(text(schema.minLength ?? 0, schema.maxLength ?? 9)), anyJson);
    default:
      throw new Error(`Generate values of the type ${schema.type} here, in test/fuzz/bodies.ts.`);
  }
}

/** The text of a parameter that a schema of the document mostly accepts. */
export const parameterText = (schema: Schema): fc.Arbitrary<string> =>
  schema.type === 'integer'
    ? either(boundedInteger(schema), fc.oneof(numberLiteral, anyText(9)))
    : text(schema.minLength ?? 0, schema.maxLength ?? 9);

/** A name of a parameter that no operation has, or of another place. */
export const oddName = anyText(8);

const generateMember = (name: string, literal: fc.Arbitrary<string>) =>
  fc.tuple(stringLiteral(fc.constant(name)), literal);
const space = fc.string({ maxLength: 3, unit: fc.constantFrom(' ', '\t', '\n', '\r') });

/**
 * The JSON of an operation's body: mostly valid, sometimes with missing, unknown or repeated
 * members.
 */
function bodyText(operation: Operation): fc.Arbitrary<string> {
  const { properties = {} } = findBody(operation) ?? {};
  const members = Object.entries(properties).map(([name, schema]) =>
    generateMember(name, valueLiteral(schema)),
  );
  const oddMembers = fc.array(fc.oneof(...members, fc.tuple(stringLiteral(anyText(8)), anyJson)), {
    maxLength: 3,
  });
  return fc
    .tuple(
      fc.tuple(...members.map((member) => fc.option(member, { freq: 12 }))),
      either(fc.constant<[string, string][]>([]), oddMembers),
      fc.nat(5),
      space,
    )
    .map(([own, odd, turns, blank]) => {
      const all = [...own.filter((member) => member !== null), ...odd];
      for (let i = 0; i < turns; i += 1) {
        all.push(...all.splice(0, 1));
      }
      const parts = all.map(([key, value]) => `${blank}${key}${blank}:${value}${blank}`);
      return `${blank}{${parts.join(',')}${blank}}${blank}`;
    });
}

/** Fills some bodies with spaces, close to the limit of 16 KiB or beyond. */
const fill = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, either(fc.constant(0), fc.integer({ min: 16_380, max: 16_390 })))
    .map(([body, bytes]) =>
      Buffer.from(body + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(body)))),
    );

/** Bodies of an operation. */
export const bodies = (operation: Operation): fc.Arbitrary<Buffer> =>
  either(
    fill(bodyText(operation)),
    fc.oneof(
      fill(anyJson),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(fc.constantFrom('[', '{"a":', '[[', '{"id":[', ' '), fc.nat(16_384))
        .map(([part, length]) => Buffer.from(part.repeat(length / part.length))),
      fc.constant(Buffer.alloc(0)),
      fill(bodyText(operation).map((text) => `\uFEFF${text}`)),
    ),
  );

/** Replaces some bytes. */
type Mutation = [at: number, removed: number, inserted: string];
const anyByte = fc.nat(255).map((code) => String.fromCharCode(code));
const mutation: fc.Arbitrary<Mutation> = fc.tuple(
  fc.nat(),
  fc.oneof(fc.constantFrom(0, 1), fc.nat(8), fc.nat()),
  fc.oneof(fc.constantFrom('', ...'{}[]:,"\\eE.-+0u '), fc.string({ unit: anyByte, maxLength: 3 })),
);
const mutate = (bytes: Buffer, [at, removed, inserted]: Mutation): Buffer => {
  const place = at % (bytes.length || 1);
  const before = bytes.subarray(0, place);
  const after = bytes.subarray(place + removed);
  return Buffer.concat([before, Buffer.from(inserted, 'latin1'), after]);
};

/** JSON with some bytes changed. */
export const mutatedBodies = (operation: Operation): fc.Arbitrary<Buffer> =>
  fc
    .tuple(bodyText(operation), fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([text, mutations]) => mutations.reduce(mutate, Buffer.from(text)));

/** Changes to a text that the server issued. */
export const textMutations = fc.array(mutation, { minLength: 0, maxLength: 2 });
export const mutateText = (text: string, mutations: Mutation[]) =>
  mutations.reduce(mutate, Buffer.from(text)).toString();
