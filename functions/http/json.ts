import { int64 } from '../shared/int64.ts';

/** The top level of a JSON object, with the facts that `JSON.parse` loses. */
export interface JsonObject {
  /** Integers are bigints, so that no digit is lost. */
  members: Record<string, unknown>;
  /** The names that occur more than once. */
  repeated: string[];
}

/**
 * Parses a JSON object. Returns undefined for other JSON. Throws a SyntaxError if the text is not
 * JSON.
 */
export function findJsonObject(text: string): JsonObject | undefined {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return undefined;
  }
  const members = parsed as Record<string, unknown>;
  const literals = new Map<string, string>();
  const repeated = new Set<string>();
  for (const { name, literal } of findMembers(text)) {
    if (literals.has(name)) {
      repeated.add(name);
    }
    // Of a repeated member, `JSON.parse` keeps the last value.
    literals.set(name, literal);
  }
  for (const [name, literal] of literals) {
    if (typeof members[name] === 'number') {
      members[name] = toInteger(literal) ?? members[name];
    }
  }
  return { members, repeated: [...repeated] };
}

interface Member {
  name: string;
  /** The text of its value. Of a list or an object, only the opening bracket. */
  literal: string;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** Returns the members at the top level of an object in valid JSON, in their order. */
function findMembers(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let name = '';
  let previous = '';
  for (const [part] of text.matchAll(token)) {
    if (depth === 1 && previous === ':') {
      members.push({ name, literal: part });
    } else if (depth === 1 && part.startsWith('"')) {
      name = JSON.parse(part);
    }
    if (part === '{' || part === '[') {
      depth += 1;
    }
    if (part === '}' || part === ']') {
      depth -= 1;
    }
    previous = part;
  }
  return members;
}

const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Returns the value of a JSON number if it is an integer, like `7`, `7.0` and `0.7e1`. An integer
 * with more digits than an int64 becomes one with 20, because `1e999999999` would fill the memory.
 */
function toInteger(literal: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = number.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') {
    return 0n;
  }
  // The number is its digits times ten to this power.
  const power = Number(exponent) - fraction.length;
  const afterPoint = power < 0 ? digits.slice(power) : '';
  if (/[1-9]/.test(afterPoint)) {
    return undefined;
  }
  const length = digits.length + power;
  if (length > int64.maxDigits) {
    return BigInt(`${sign}1${'0'.repeat(int64.maxDigits)}`);
  }
  return BigInt(sign + digits.slice(0, length).padEnd(length, '0'));
}
