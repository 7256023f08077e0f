import { isUtf8 } from 'node:buffer';
import type { Content } from '../support/plant.ts';

/**
 * What the contract says of a request: an independent reading, which shares no code with the
 * functions. Places are written as `placesIn` of test/contract/description.ts does.
 */
export type Verdict<Accepted> = { accepted: Accepted } | { status: number; places: string[] };

export type Plant = Content & { id: bigint };

/** Returns the value of a member or parameter, or undefined if the contract refuses its text. */
type Reading = (text: string | undefined) => unknown;
const members: Record<string, Reading> = {
  id(text = '') {
    const id = integerOf(text);
    return id === undefined || isInt64(id) ? id : undefined;
  },
  name: (text) => textOf(text, 1, 200),
  tag: (text = '""') => textOf(text, 0, 100),
};

export interface List {
  limit: number;
}
const parameters: Record<keyof List, Reading> = {
  limit(text = '1000') {
    const isCanonical = /^[0-9]+$/.test(text) && `${BigInt(text)}` === text;
    const isInRange = isCanonical && BigInt(text) >= 1n && BigInt(text) <= 2147483647n;
    return isInRange ? Math.min(Number(text), 1000) : undefined;
  },
};

const isInt64 = (id: bigint) => BigInt.asIntN(64, id) === id;
const invalid = (places: string[]) => ({ status: 400, places: [...new Set(places)].sort() });

/** Reads what a request gives. Refuses what is unknown, given twice, missing or wrong. */
function judge<Accepted>(
  readings: Record<string, Reading>,
  given: [name: string, text: string][],
  placeOf: (name: string) => string,
): Verdict<Accepted> {
  const texts = new Map(given);
  const names = given.map(([name]) => name);
  const wrong = names.filter(
    (name, i) => !Object.hasOwn(readings, name) || names.indexOf(name) !== i,
  );
  const values = Object.entries(readings).map(([name, read]) => [name, read(texts.get(name))]);
  for (const [name, value] of values) if (value === undefined) wrong.push(`${name}`);
  if (wrong.length > 0) return invalid(wrong.map(placeOf));
  return { accepted: Object.fromEntries(values) };
}

export function judgeCreate(
  types: { value: string; isJson: boolean }[],
  encoding: string | undefined,
  bytes: Buffer,
): Verdict<Plant> {
  const headers = [
    ...(encoding === undefined ? [] : ['Content-Encoding:']),
    ...(types.length === 1 && types[0]?.isJson ? [] : ['Content-Type:']),
  ];
  if (headers.length > 0) return { status: 415, places: headers };
  if (bytes.length > 16_384) return { status: 413, places: [] };
  const text = bytes.toString();
  if (!isUtf8(bytes) || !isJsonObject(text)) return invalid(['#']);
  return judge(members, membersOf(text), (name) => `#${pointerTo(name)}`);
}

/** Judges the parameters of a list. A cursor is opaque: it is accepted, whatever it is. */
export const judgeList = (query: [string, string][]): Verdict<List> =>
  judge({ ...parameters, cursor: (text = '') => text }, query, (name) => `?${name}`);

/** Judges the id of a path, as it stands in the path. */
export function judgeId(encoded: string): Verdict<bigint> {
  const refused = invalid(['?id']);
  try {
    const text = decodeURIComponent(encoded);
    const id = BigInt(text);
    return `${id}` === text && isInt64(id) ? { accepted: id } : refused;
  } catch {
    return refused;
  }
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
function membersOf(object: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let name = '';
  let part = '';
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < object.length; i += 1) {
    const character = object.charAt(i);
    const isAtTop = depth === 1 && !isInString;
    if (character === '"') isInString = !isInString;
    if (isInString && character === '\\') {
      part += character + object.charAt(i + 1);
      i += 1;
      continue;
    }
    if (!isInString && '}]'.includes(character)) depth -= 1;
    if (isAtTop && character === ':') {
      name = JSON.parse(part);
      part = '';
    } else if (isAtTop && ',}'.includes(character)) {
      if (part.trim() !== '') members.push([name, part.trim()]);
      part = '';
    } else if (depth > 0) part += character;
    if (!isInString && '{['.includes(character)) depth += 1;
  }
  return members;
}

const pointerTo = (name: string) =>
  `/${name.toWellFormed().split('~').join('~0').split('/').join('~1')}`;

/** Returns the exact value of a JSON number, if that is an integer with at most 40 digits. */
export function integerOf(value: string): bigint | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(value) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  const shift = Number(exponent) - fraction.length;
  if (digits === 0n) return 0n;
  if (shift > 40 || -shift > whole.length + fraction.length) return undefined;
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % power !== 0n) return undefined;
  const integer = shift < 0 ? digits / power : digits * power;
  return sign === '-' ? -integer : integer;
}

/** Returns the text of a JSON string if the contract allows it. */
function textOf(value: string | undefined, least: number, most: number): string | undefined {
  if (!value?.startsWith('"')) return undefined;
  const text: string = JSON.parse(value);
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const isForbidden = (point: number) =>
    point < 0x20 ||
    (point >= 0x7f && point <= 0x9f) ||
    (point >= 0xd800 && point <= 0xdfff) ||
    point === 0xfffd;
  const isAllowed = points.length >= least && points.length <= most && !points.some(isForbidden);
  return isAllowed ? text : undefined;
}
