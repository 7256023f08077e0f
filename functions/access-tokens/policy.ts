import type { PolicyDocument } from 'aws-lambda';
import { operations, type Scope } from '../shared/operations.ts';

/**
 * Returns the policy that allows exactly the operations of the given scopes, in the API and stage
 * of a method ARN (`arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/METHOD/PATH`). The gateway caches
 * the policy by token, so it must be right for every route.
 */
export function policyFor(granted: readonly Scope[], methodArn: string): PolicyDocument {
  const [api, stage] = methodArn.split('/');
  const Resource = Object.values(operations)
    .filter(({ scope }) => granted.includes(scope))
    .flatMap(({ method, path }) => pathsOf(path).map((one) => `${api}/${stage}/${method}/${one}`));
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource }],
  };
}

/** Returns a path with and without a slash at its end. `*` matches both. */
function pathsOf(path: string): string[] {
  const pattern = path.replaceAll(/\{\w+\}/g, '*');
  return pattern.endsWith('*') ? [pattern] : [pattern, `${pattern}/`];
}
