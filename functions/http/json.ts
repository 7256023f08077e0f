/** The top level of a JSON object. Its integers are bigints, also those in its lists. */
export interface JsonObject {
  members: Record<string, unknown>;
  /** The names that occur more than once. */
  repeated: string[];
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/**
 * Parses a JSON object without what `JSON.parse` loses: digits of large integers, and repeated
 * members. `7`, `7.0` and `0.7e1` are the same integer. Returns undefined for JSON that is not an
 * object, and throws a SyntaxError for text that is not JSON.
 */
export function parseJsonObject(text: string): JsonObject | undefined {
  const members: unknown = JSON.parse(text);
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    return undefined;
  }

  // The syntax is valid here, so the tokens give the names at the top level and the numbers' text.
  const object = members as Record<string, unknown>;
  const names = new Set<string>();
  const repeated = new Set<string>();
  let depth = 0;
  let name: string | undefined;
  let list: unknown;
  let i = 0;
  for (const [part] of text.matchAll(token)) {
    if (part === '{' || part === '[') {
      depth += 1;
      if (depth === 2) {
        list = object[name ?? ''];
        i = 0;
      }
    } else if (part === '}' || part === ']') {
      depth -= 1;
    } else if (depth === 2 && Array.isArray(list)) {
      if (part === ',') {
        i += 1;
      } else if (typeof list[i] === 'number') {
        list[i] = exact(part);
      }
    } else if (depth === 1 && part !== ':') {
      if (part === ',') {
        name = undefined;
      } else if (name === undefined) {
        name = JSON.parse(part) as string;
        if (names.has(name)) {
          repeated.add(name);
        }
        names.add(name);
      } else if (typeof object[name] === 'number') {
        object[name] = exact(part);
      }
    }
  }
  return { members: object, repeated: [...repeated] };
}

const literal = /(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/;
const maxDigits = 19;

/** A double keeps so many digits, whatever they are. */
const maxDigitsOfDouble = 15;

/**
 * Returns the value of a JSON number: a bigint if it is integral, and otherwise a double, or NaN if
 * a double would round it. A number of more than 19 digits becomes one of 20, which is outside of
 * int64 too.
 */
function exact(number: string): bigint | number {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = literal.exec(number) ?? [];
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') {
    start += 1;
  }
  if (start === end) {
    return 0n;
  }
  while (digits[end - 1] === '0') {
    end -= 1;
  }

  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  if (zeros < 0) {
    const double = Number(number);
    return end - start > maxDigitsOfDouble || double === 0 ? Number.NaN : double;
  }
  if (end - start + zeros > maxDigits) {
    return BigInt(`${sign}1${'0'.repeat(maxDigits)}`);
  }
  return BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros));
}
