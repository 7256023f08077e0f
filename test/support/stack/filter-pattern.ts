/** Tells whether a filter pattern matches a line of a log. */
type Matcher = (line: unknown) => boolean;

/**
 * Evaluates the filter patterns of metric filters, as far as the stack uses them: strings, numbers,
 * `&&`, `||` and brackets in patterns for JSON. Throws at anything else.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function filterPattern(pattern: string): (line: string) => boolean {
  const matches = parse(pattern);
  return (line) => matches(objectIn(line));
}

/** Returns the JSON object of a line. Patterns for JSON match no other lines. */
function objectIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const token =
  /\s*(?<text>\|\||&&|[(){}]|!=|<=|>=|[=<>]|"[^"\\]*"|\$(?:\.\w+)+|-?\d+(?:\.\d+)?)\s*/y;

function tokensOf(pattern: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < pattern.length) {
    const at = token.lastIndex;
    const text = token.exec(pattern)?.groups?.text;
    if (text === undefined) {
      throw new Error(
        `Teach test/support/stack/filter-pattern.ts what "${pattern.slice(at)}" means.`,
      );
    }
    tokens.push(text);
  }
  return tokens;
}

function parse(pattern: string): Matcher {
  const tokens = tokensOf(pattern);

  function take(expected: string): void {
    const found = tokens.shift();
    if (found !== expected) {
      throw new Error(`The filter pattern ${pattern} has ${found} where ${expected} belongs.`);
    }
  }

  function joinedBy(operator: string, next: () => Matcher): Matcher[] {
    const terms = [next()];
    while (tokens[0] === operator) {
      take(operator);
      terms.push(next());
    }
    return terms;
  }

  function anyOf(): Matcher {
    const terms = joinedBy('||', allOf);
    return (line) => terms.some((matches) => matches(line));
  }

  function allOf(): Matcher {
    const terms = joinedBy('&&', term);
    return (line) => terms.every((matches) => matches(line));
  }

  function term(): Matcher {
    if (tokens[0] !== '(') {
      return comparison(tokens.shift(), tokens.shift(), tokens.shift());
    }
    take('(');
    const inner = anyOf();
    take(')');
    return inner;
  }

  take('{');
  const matches = anyOf();
  take('}');
  if (tokens.length > 0) {
    throw new Error(`The filter pattern ${pattern} has ${tokens.join(' ')} behind its end.`);
  }
  return matches;
}

const compare: Record<string, (found: unknown, wanted: string | number) => boolean> = {
  '=': (found, wanted) => found === wanted,
  '!=': (found, wanted) => found !== wanted,
  '<': (found, wanted) => Number(found) < Number(wanted),
  '<=': (found, wanted) => Number(found) <= Number(wanted),
  '>': (found, wanted) => Number(found) > Number(wanted),
  '>=': (found, wanted) => Number(found) >= Number(wanted),
};

/** Compares a member of the line. A line that lacks the member does not match. */
function comparison(selector = '', operator = '', value = ''): Matcher {
  const test = compare[operator];
  const wanted = value.startsWith('"') ? value.slice(1, -1) : Number(value);
  if (!selector.startsWith('$.') || !test || Number.isNaN(wanted) || `${wanted}`.includes('*')) {
    const given = `${selector} ${operator} ${value}`;
    throw new Error(`Teach test/support/stack/filter-pattern.ts what "${given}" means.`);
  }
  const path = selector.slice(2).split('.');
  return (line) => {
    const found = path.reduce(memberOf, line);
    return typeof found === typeof wanted && test(found, wanted);
  };
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null;
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}
