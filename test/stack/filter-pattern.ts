type Matcher = (line: unknown) => boolean;

/**
 * Evaluates the filter pattern of a metric filter, as far as the stack uses them: texts, of which
 * the last character may be `*`, with `=`, `!=`, `&&`, `||` and brackets. Throws at anything else.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function filterPattern(pattern: string): Matcher {
  const comparison = /\$\.([\w.]+) (!?=) ("[^"\\]*")/g;
  const expression = pattern.replace(/^\{(.*)\}$/, '$1');
  const rest = expression.replaceAll(comparison, '').replaceAll(/[\s()]|&&|\|\|/g, '');
  if (rest !== '') {
    throw new Error(`Teach test/stack/filter-pattern.ts what "${rest}" means.`);
  }
  // Operators and brackets mean the same in JavaScript.
  const code = expression.replaceAll(comparison, 'compare(line, "$1", "$2", $3)');
  const evaluate = new Function('compare', 'line', `return ${code};`);
  return (line) => evaluate(compare, line);
}

/** Compares a member of a line, like `message.code`. A line that lacks it does not match. */
function compare(line: unknown, path: string, operator: string, wanted: string): boolean {
  const found = path.split('.').reduce((value, name) => Object(value)[name], line);
  if (typeof found !== 'string') {
    return false;
  }
  const isEqual = wanted.endsWith('*') ? found.startsWith(wanted.slice(0, -1)) : found === wanted;
  return isEqual === (operator === '=');
}
