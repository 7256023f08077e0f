/** The top level of a JSON object: its members, integral numbers as bigints, and the names that occur more than once. */
export interface JsonObject {
  members: Record<string, unknown>;
  repeated: string[];
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/**
 * Parses a JSON object without what `JSON.parse` loses: digits of large integers, and repeated members.
 * Integral is `7`, `7.0` and `0.7e1` alike. Throws SyntaxError for text that is no JSON; undefined for JSON that is no object.
 */
export function parseJsonObject(text: string): JsonObject | undefined {
  const members: unknown = JSON.parse(text);
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return undefined;

  // JSON.parse has proved the syntax: what is left is to find the top level's names and the numbers' own spelling.
  const object = members as Record<string, unknown>;
  const names = new Set<string>();
  const repeated = new Set<string>();
  let depth = 0;
  let name: string | undefined;
  for (const [part] of text.matchAll(token)) {
    if (part === '{' || part === '[') depth += 1;
    else if (part === '}' || part === ']') depth -= 1;
    else if (depth !== 1 || part === ':') continue;
    else if (part === ',') name = undefined;
    else if (name === undefined) {
      name = JSON.parse(part) as string;
      (names.has(name) ? repeated : names).add(name);
    } else if (typeof object[name] === 'number') object[name] = parseInteger(part) ?? object[name];
  }
  return { members: object, repeated: [...repeated] };
}

const literal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const mostDigits = 20;

/** The value of a JSON number that is integral, undefined of one that is not. Above 20 digits the value is cut to one that no int64 reaches. */
function parseInteger(number: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = literal.exec(number) ?? [];
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  if (start === end) return 0n;
  while (digits[end - 1] === '0') end -= 1;

  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  if (zeros < 0) return undefined;
  if (end - start + zeros > mostDigits) return BigInt(`${sign}1${'0'.repeat(mostDigits)}`);
  return BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros));
}
