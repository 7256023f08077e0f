/** What identifies the calls of an operation: its row in the operations' table has it. */
export interface Calls {
  method: string;
  /** Within the stage. */
  path: string;
}

const parameter = /\{[^}]+\}/g;

/**
 * Returns the patterns of IAM for an operation's calls, like `GET/plants`. `*` stands for a
 * parameter. A slash at the end changes nothing, so each path is there with and without it.
 */
export function patternsOf({ method, path }: Calls): string[] {
  const pattern = `${method}/${path.replaceAll(parameter, '*')}`;
  // The asterisk matches that slash, too.
  return pattern.endsWith('*') ? [pattern] : [pattern, `${pattern}/`];
}

/** A segment of a path that is in no pattern. */
const other = ' ';

/**
 * Returns whether patterns match a call that the gateway routes to `operation`, which is one of
 * `all`. The asterisk matches slashes too, so that a pattern can match calls of operations that it
 * was not made for.
 */
export function covers(patterns: string[], operation: Calls, all: readonly Calls[]): boolean {
  return patterns.some((pattern) => {
    const [method, ...segments] = pattern.split('/');
    if (method !== operation.method) {
      return false;
    }
    const form = expression(segments.join('/'), '*', '.*');
    // A pattern cannot tell any two values apart that are not among its own segments.
    const calls = fill(operation.path, [other, ...segments]).filter(
      (path) => routeOf(path, all) === operation.path,
    );
    return calls.some((path) => form.test(path) || form.test(`${path}/`));
  });
}

/** Returns the path with each combination of the values in place of its parameters. */
function fill(path: string, values: string[]): string[] {
  const [found] = path.match(parameter) ?? [];
  if (!found) {
    return [path];
  }
  return values.flatMap((value) => fill(path.replace(found, value), values));
}

/** Returns the path of the operations that a request's path is routed to. */
function routeOf(sent: string, all: readonly Calls[]): string | undefined {
  const fitting = all
    .map(({ path }) => path)
    .filter((path) => expression(path, parameter, '[^/]+').test(sent));
  // A literal segment has precedence. The brace of a parameter comes after all its characters.
  return fitting.sort()[0];
}

/** Returns an expression for a whole text, in which wildcards stand for others. */
function expression(text: string, wildcard: string | RegExp, meaning: string): RegExp {
  const literals = text.split(wildcard).map((literal) => RegExp.escape(literal));
  return new RegExp(`^${literals.join(meaning)}$`);
}
