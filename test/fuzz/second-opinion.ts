import { isUtf8 } from 'node:buffer';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Operation } from '../../functions/shared/operations.ts';
import { queryParameters } from '../contract/query-parameters.ts';
import { findBody, findOperation, type Schema } from '../support/openapi/description.ts';

// Judges requests by docs/openapi.json, and shares no code with the functions. JSON Schema cannot
// express sizes, UTF-8 and repeated names, and the document has no patterns, so these are written
// by hand.

/** The texts of a body's members, or the error that a create must return. */
type Verdict = { accepted: Map<string, string> } | { status: number; places: string[] };

// Strict about numbers: rejects NaN and Infinity.
const ajv = new Ajv2020({ allErrors: true, formats: { int64: true } });

/** Returns the pointers to the errors of a value by a schema. */
function findErrors(schema: object, value: unknown): string[] {
  const place = ({ instancePath, params }: ErrorObject) => {
    const member: unknown = params.missingProperty ?? params.additionalProperty;
    return instancePath + (member === undefined ? '' : formatPointer(`${member}`));
  };
  return (ajv.validate(schema, value) ? [] : (ajv.errors ?? [])).map(place);
}

/** Judges the body of an operation. The places of errors look like those of `findPlaces`. */
export function judgeBody(operation: Operation, bytes: Buffer): Verdict {
  if (bytes.length > 16_384) {
    return { status: 413, places: [] };
  }
  const text = bytes.toString();
  if (!isUtf8(bytes) || !isJsonObject(text)) {
    return { status: 400, places: ['#'] };
  }

  const members = findMembers(text);
  const names = members.map(([name]) => name);
  const twice = names.filter((name, i) => names.indexOf(name) !== i).map(formatPointer);
  const value: Record<string, unknown> = Object.create(null);
  for (const [name, literal] of members) {
    value[name] = readJson(literal);
  }
  const badTexts = names
    .filter((name) => typeof value[name] === 'string' && hasBadCharacter(value[name]))
    .map(formatPointer);
  const places = [...twice, ...findErrors(findBody(operation) ?? {}, value), ...badTexts].map(
    (pointer) => `#${pointer}`,
  );
  if (places.length > 0) {
    return { status: 400, places: [...new Set(places)].sort() };
  }
  return { accepted: new Map(members) };
}

/** Returns the places of the errors in the parameters of an operation, like `findPlaces`. */
export function judgeParameters(
  operation: Operation,
  place: 'path' | 'query',
  values: Record<string, string[]>,
): string[] {
  const known = (findOperation(operation).parameters ?? []).filter((one) => one.in === place);
  const missing = known.filter(({ name, required }) => required && !Object.hasOwn(values, name));
  const wrong = Object.entries(values).filter(([name, [value = '', ...more]]) => {
    const parameter = known.find((one) => one.name === name);
    return more.length > 0 || !parameter || !isParameter(operation, parameter, value);
  });
  const names = [...missing.map(({ name }) => name), ...wrong.map(([name]) => name)];
  return [...new Set(names)].map((name) => `?${name}`).sort();
}

function isParameter(
  operation: Operation,
  { name, schema }: { name: string; schema: Schema },
  text: string,
): boolean {
  if (schema.type === 'integer') {
    const isCanonical = /^(?:0|-?[1-9][0-9]*)$/.test(text);
    return isCanonical && findErrors(schema, judgeNumber(text)).length === 0;
  }
  // The document has no patterns, so it cannot say which cursors are valid.
  if (schema.maxLength === undefined) {
    return text === decodeURIComponent(queryParameters[operation]?.[name]?.good ?? '');
  }
  return findErrors(schema, text).length === 0 && !hasBadCharacter(text);
}

const hasBadCharacter = (text: string) => [...text].some(isBad);

function isBad(character: string): boolean {
  const code = character.codePointAt(0) as number;
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const isLoneSurrogate = code >= 0xd800 && code < 0xe000;
  return isControl || isLoneSurrogate || code === 0xfffd;
}

/** Reads JSON. Numbers are judged by their text. */
function readJson(literal: string): unknown {
  const value: unknown = JSON.parse(literal);
  return typeof value === 'number' ? judgeNumber(literal) : value;
}

/** Returns an integer if the text is an int64, and otherwise a number that no schema accepts. */
function judgeNumber(text: string): number {
  const integer = parseInteger(text);
  return isInt64(integer) ? Number(integer) : Number.NaN;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Reads the members of a JSON object by character: each name, and the text of its value. */
function findMembers(object: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let name = '';
  let part = '';
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < object.length; i += 1) {
    const character = object.charAt(i);
    const isAtTop = depth === 1 && !isInString;
    if (character === '"') {
      isInString = !isInString;
    }
    if (isInString && character === '\\') {
      part += character + object.charAt(i + 1);
      i += 1;
      continue;
    }
    if (!isInString && '}]'.includes(character)) {
      depth -= 1;
    }
    if (isAtTop && character === ':') {
      name = JSON.parse(part);
      part = '';
    } else if (isAtTop && ',}'.includes(character)) {
      if (part.trim() !== '') {
        members.push([name, part.trim()]);
      }
      part = '';
    } else if (depth > 0) {
      part += character;
    }
    if (!isInString && '{['.includes(character)) {
      depth += 1;
    }
  }
  return members;
}

const formatPointer = (name: string) =>
  `/${name.toWellFormed().split('~').join('~0').split('/').join('~1')}`;

export const isInt64 = (value: unknown): value is bigint =>
  typeof value === 'bigint' && BigInt.asIntN(64, value) === value;

/** Returns the exact value of a JSON number, if that is an integer with at most 40 digits. */
export function parseInteger(value: string): bigint | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(value) ?? [];
  if (whole === undefined) {
    return undefined;
  }
  const digits = BigInt(`${whole}${fraction}`);
  const shift = Number(exponent) - fraction.length;
  if (digits === 0n) {
    return 0n;
  }
  if (shift > 40 || -shift > whole.length + fraction.length) {
    return undefined;
  }
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % power !== 0n) {
    return undefined;
  }
  const integer = shift < 0 ? digits / power : digits * power;
  return sign === '-' ? -integer : integer;
}
