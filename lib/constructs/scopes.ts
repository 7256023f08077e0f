import { type Calls, covers, patternsOf } from '../../functions/shared/call-patterns.ts';

/**
 * Throws if a policy cannot tell two operations of different scopes apart: one must be denied,
 * because a pattern of a third one matches its calls, and its own pattern matches the other's.
 */
export function requireDistinctPatterns(
  operations: Record<string, Calls & { scope: string }>,
): void {
  const all = Object.values(operations);
  for (const [name, denied] of Object.entries(operations)) {
    const others = Object.entries(operations).filter(([, { scope }]) => scope !== denied.scope);
    const isMatched = others.some(([, granted]) => covers(patternsOf(granted), denied, all));
    const taken = others.find(([, granted]) => covers(patternsOf(denied), granted, all));
    if (isMatched && taken) {
      throw new Error(
        `${name} and ${taken[0]} cannot have different scopes: ${patternsOf(denied)[0]} matches ` +
          'the calls of both, and a policy of API Gateway has no other pattern for them. Give ' +
          'both the same scope, or one of them another path.',
      );
    }
  }
}
