import { isUtf8 } from 'node:buffer';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Operation } from '../../../functions/shared/operations.ts';
import { findOperation, type Parameter } from './description.ts';

// Judges requests by docs/openapi.json, and shares no code with the functions. JSON Schema cannot
// express media types, sizes, UTF-8, repeated names and the one spelling of a parameter, and the
// document has no patterns, so these are written by hand. Places look like those of `findPlaces`.

type Verdict<Accepted> = { accepted: Accepted } | Refusal;

interface Refusal {
  status: number;
  /** The places of the errors. */
  places: string[];
}

// Strict about numbers: rejects NaN and Infinity.
const ajv = new Ajv2020({ allErrors: true, formats: { int64: true } });

const isInt64 = (id: bigint) => BigInt.asIntN(64, id) === id;
const invalid = (places: string[]) => ({ status: 400, places: [...new Set(places)].sort() });

/** Returns the pointers to a value's errors, `''` for the whole value. */
function findErrors(schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  const place = ({ instancePath, params }: ErrorObject) => {
    const member: unknown = params.missingProperty ?? params.additionalProperty;
    return instancePath + (member === undefined ? '' : formatPointer(`${member}`));
  };
  return (validate(value) ? [] : (validate.errors ?? [])).map(place);
}

/** Judges a body of an operation that takes one. Returns the texts of its members. */
export function judgeBody(operation: Operation, bytes: Buffer): Verdict<Map<string, string>> {
  if (bytes.length > 16_384) {
    return { status: 413, places: [] };
  }
  const text = bytes.toString();
  if (!isUtf8(bytes) || !isJsonObject(text)) {
    return invalid(['#']);
  }

  const { requestBody } = findOperation(operation);
  const schema = requestBody?.content['application/json']?.schema ?? {};
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
  const pointers = [...twice, ...findErrors(schema, value), ...badTexts];
  if (pointers.length > 0) {
    return invalid(pointers.map((pointer) => `#${pointer}`));
  }
  return { accepted: new Map(members) };
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
  return integer !== undefined && isInt64(integer) ? Number(integer) : Number.NaN;
}

/** Judges the parameters of a query, in their order. */
export function judgeQuery(
  operation: Operation,
  query: [name: string, value: string][],
): Verdict<Record<string, string>> {
  const parameters = (findOperation(operation).parameters ?? []).filter(
    (parameter) => parameter.in === 'query',
  );
  const wrong = query
    .map(([name]) => name)
    .filter((name) => !parameters.some((parameter) => parameter.name === name));
  for (const parameter of parameters) {
    const values = query.filter(([name]) => name === parameter.name).map(([, value]) => value);
    if (!isAccepted(parameter, values)) {
      wrong.push(parameter.name);
    }
  }
  if (wrong.length > 0) {
    return invalid(wrong.map((name) => `?${name}`));
  }
  return { accepted: Object.fromEntries(query) };
}

/** Judges the values of a parameter. An integer has one spelling. */
function isAccepted({ name, required, schema }: Parameter, values: string[]): boolean {
  const [text = ''] = values;
  if (values.length !== 1) {
    return values.length === 0 && !required;
  }
  if (name === 'cursor' && !isCursor(text)) {
    return false;
  }
  const isInteger = schema.type === 'integer' && /^(0|-?[1-9][0-9]*)$/.test(text);
  return findErrors(schema, isInteger ? judgeNumber(text) : text).length === 0;
}

/** Whether a text is a version and the only spelling of eight bytes in base64url. */
function isCursor(text: string): boolean {
  const bytes = Buffer.from(text.slice(1), 'base64url');
  return bytes.length === 8 && text === `1${bytes.toString('base64url')}`;
}

/** Judges a percent-encoded parameter of a path. */
function judgePath(operation: Operation, name: string, encoded: string): Verdict<string> {
  const refused = invalid([`?${name}`]);
  const parameters = findOperation(operation).parameters ?? [];
  const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
  try {
    const text = decodeURIComponent(encoded);
    return parameter && isAccepted(parameter, [text]) ? { accepted: text } : refused;
  } catch {
    return refused;
  }
}

const isJson = (type = '') => type.split(';')[0]?.trim().toLowerCase() === 'application/json';

/** Returns the wrong headers of a request with a body. */
function wrongHeaders(headers: [name: string, value: string][]): string[] {
  const findValues = (header: string) =>
    headers.filter(([name]) => name.toLowerCase() === header).map(([, value]) => value);
  const types = findValues('content-type');
  return [
    ...(findValues('content-encoding').length === 0 ? [] : ['Content-Encoding:']),
    ...(types.length === 1 && isJson(types[0]) ? [] : ['Content-Type:']),
  ];
}

interface JudgedRequest {
  headers: [name: string, value: string][];
  body: Buffer;
  query: [name: string, value: string][];
  path: Record<string, string>;
}

/**
 * Returns the error that a request must get, with the places of all its errors, or undefined. A 415
 * or 413 stands alone.
 */
export function expectedError(
  operation: Operation,
  { headers, body, query, path }: JudgedRequest,
): Refusal | undefined {
  const takesBody = findOperation(operation).requestBody !== undefined;
  const wrong = takesBody ? wrongHeaders(headers) : [];
  if (wrong.length > 0) {
    return { status: 415, places: wrong };
  }
  const verdicts: Verdict<unknown>[] = [
    ...(takesBody ? [judgeBody(operation, body)] : []),
    judgeQuery(operation, query),
    ...Object.entries(path).map(([name, text]) => judgePath(operation, name, text)),
  ];
  const refusals = verdicts.flatMap((one) => ('places' in one ? [one] : []));
  const alone = refusals.find(({ status }) => status !== 400);
  const places = refusals.flatMap((one) => one.places);
  return alone ?? (places.length > 0 ? invalid(places) : undefined);
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
