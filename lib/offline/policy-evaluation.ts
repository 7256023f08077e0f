/** A statement of an IAM policy. */
export interface Statement {
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Resource: string | string[];
}

/**
 * Returns what a policy says of an action on a resource. A denial takes precedence. `undefined`
 * means that no statement applies, which denies the action too.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function effectOf(
  statements: Statement[],
  action: string,
  resource: string,
): Statement['Effect'] | undefined {
  const applies = ({ Action, Resource }: Statement) =>
    [Action].flat().some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    [Resource].flat().some((pattern) => matches(pattern, resource));
  const effects = statements.filter(applies).map(({ Effect }) => Effect);
  return effects.includes('Deny') ? 'Deny' : effects[0];
}

/** `*` matches any text, with slashes, and `?` one character. */
export function matches(pattern: string, text: string): boolean {
  const source = RegExp.escape(pattern).replaceAll('\\*', '.*').replaceAll('\\?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}
