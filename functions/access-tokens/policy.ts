import type { PolicyDocument } from 'aws-lambda';
import { type Calls, covers, patternsOf } from '../shared/call-patterns.ts';
import { operations, type Scope } from '../shared/operations.ts';

/**
 * Returns the policy that allows exactly the operations of the given scopes, in the API and stage
 * of a method ARN (`arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/METHOD/PATH`). The gateway caches
 * the policy by token, so it must be right for every route.
 */
export function policyFor(scopes: readonly Scope[], methodArn: string): PolicyDocument {
  return policyOf(patternsFor(scopes, Object.values(operations)), methodArn);
}

/** Patterns of calls, like `DELETE/plants/*`. */
interface Patterns {
  allowed: string[];
  denied: string[];
}

/** Returns the policy that allows and denies calls in the API and stage of a method ARN. */
export function policyOf({ allowed, denied }: Patterns, methodArn: string): PolicyDocument {
  const [api, stage] = methodArn.split('/');
  const statement = (Effect: 'Allow' | 'Deny', patterns: string[]) => ({
    Effect,
    Action: 'execute-api:Invoke',
    Resource: patterns.map((pattern) => `${api}/${stage}/${pattern}`),
  });
  const Statement = [statement('Allow', allowed)];
  if (denied.length > 0) {
    Statement.push(statement('Deny', denied));
  }
  return { Version: '2012-10-17', Statement };
}

/**
 * Returns the patterns of the calls that scopes allow, and of those that must be denied, because a
 * pattern of an allowed one matches them too. lib/constructs/scopes.ts refuses operations for which
 * this cannot be right.
 */
export function patternsFor(
  scopes: readonly string[],
  all: readonly (Calls & { scope: string })[],
): Patterns {
  const granted = all.filter(({ scope }) => scopes.includes(scope));
  const allowed = granted.flatMap(patternsOf);
  const denied = all.filter((each) => !granted.includes(each) && covers(allowed, each, all));
  return { allowed, denied: denied.flatMap(patternsOf) };
}
